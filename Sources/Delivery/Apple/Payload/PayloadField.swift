package import Push

extension ContentField {
    /// The form of a field in a payload.
    package enum PayloadRole: Hashable, Sendable {
        /// A member of `aps` that people see, hear or count: without it the message would mean something else.
        case perceived
        /// Another member of `aps`.
        case detail
        /// No member of `aps`: a header, what an `aps` of its own is made of, a custom key, or nothing to Apple.
        case other
    }

    /// The field's form in a payload.
    package var payloadRole: PayloadRole {
        switch self {
        case .title, .subtitle, .body, .badge, .sound: .perceived
        case .category, .threadId, .targetContentId, .launchImage, .filterCriteria, .interruptionLevel,
            .relevanceScore, .mutableContent, .contentAvailable:
            .detail
        case .collapseId, .priority, .pushType, .liveActivity, .data, .deliveryKey, .silent, .action, .channel: .other
        }
    }
}

extension MessageContent {
    /// The fields that would become members of `aps`.
    package var payloadFields: [ContentField] {
        ContentField.allCases.filter { field in
            guard field.payloadRole != .other, let value = value(of: field) else { return false }
            if case .flag(false) = value { return false }
            return true
        }
    }
}

extension PushType {
    /// True when a payload of this type supports the message's field; `data` and headers are always supported.
    package func carries(_ field: ContentField) -> Bool {
        switch self {
        case .alert, .voip, .complication, .fileprovider, .location, .pushtotalk: true
        case .background: field == .contentAvailable
        case .liveactivity: field == .title || field == .body || field == .sound || field == .relevanceScore
        case .widgets, .controls, .mdm: false
        }
    }

    /// True when the app itself gets a payload of this type, and can report what became of it.
    package var reachesTheApp: Bool {
        switch self {
        case .alert, .background, .voip, .complication, .fileprovider, .location, .pushtotalk: true
        case .liveactivity, .widgets, .controls, .mdm: false
        }
    }

    /// The maximum size of a broadcast's payload in bytes, for any push type: 5,120
    /// (docs/background/apple/payloads.md#push-types).
    package static let broadcastLimit = 5120
}
