internal import Base
internal import Push

/// One platform's content as members of `data`.
struct PlatformContent {
    let content: MessageContent
    let id: DeliveryID

    /// iOS content in the flat form.
    ///
    /// With `splitsTitle`, a plain title is put beside a plain alert, so that other platforms read both.
    func flat(splitsTitle: Bool) -> JSONObject {
        var data = beside.merging(content.apsFields) { $1 }
        data["sound"] = sound
        data["badge"] = badge
        if splitsTitle, case .text(let body) = content.body, content.subtitle == nil, content.launchImage == nil,
            content.title?.plain == content.title
        {
            data["alert"] = .string(body)
            data["title"] = content.title?.string
        } else {
            data["alert"] = content.apsAlert
        }
        return data
    }

    /// iOS content in the raw form: `aps` in Apple's own spelling.
    var raw: JSONObject {
        var aps = content.apsFields
        aps["alert"] = content.apsAlert
        aps["badge"] = badge
        return beside.merging(["aps": .object(aps)]) { $1 }
    }

    /// Android content.
    var android: JSONObject {
        var data = custom
        data["alert"] = content.body?.string
        data["title"] = content.title?.string
        data["silent"] = content.silent.map { .bool($0) }
        data["action"] = content.action.map { .string($0) }
        return data
    }

    /// The members beside `aps`: headers and custom keys.
    private var beside: JSONObject {
        var data = custom
        data["collapse-id"] = content.collapseId.map { .string($0) }
        let type = content.effectivePushType
        if content.priority != nil || type == .background {
            data["apns-priority"] = .integer(Int64(content.effectivePriority))
        }
        if type != .alert { data["apns-push-type"] = .string(type.rawValue) }
        return data
    }

    private var custom: JSONObject {
        var data = content.data ?? [:]
        if let key = content.deliveryKey { data[key] = .string(id.text) }
        return data
    }

    private var badge: JSONValue? {
        switch content.badge {
        case .number(let number): .integer(Int64(number))
        case .increment: "Increment"
        case nil: nil
        }
    }

    /// The sound in LeanCloud's form: `critical` is a boolean there.
    private var sound: JSONValue? {
        switch content.sound {
        case .name(let name): return .string(name)
        case .detailed(let name, let critical, let volume):
            var sound: JSONObject = ["name": .string(name)]
            if critical { sound["critical"] = true }
            sound["volume"] = volume.map { .number($0) }
            return .object(sound)
        case nil: return nil
        }
    }
}

extension MessageContent {
    /// True when LeanCloud's flat form cannot express the content: unknown flat keys would reach the app as custom
    /// data.
    var needsRawForm: Bool {
        guard undocumentedFields.isEmpty else { return true }
        return switch effectivePushType {
        case .alert, .background: false
        case .voip, .complication, .fileprovider, .mdm, .location, .liveactivity, .pushtotalk, .widgets, .controls: true
        }
    }

    /// The fields that LeanCloud's documentation does not mention.
    var undocumentedFields: [ContentField] { ContentField.undocumented.filter { value(of: $0) != nil } }
}

extension ContentField {
    /// Those that LeanCloud takes, without a word in its documentation.
    fileprivate static let undocumented = allCases.filter { field in
        switch field {
        case .interruptionLevel, .relevanceScore, .filterCriteria: true
        case .title, .subtitle, .body, .badge, .sound, .category, .threadId, .targetContentId, .launchImage,
            .mutableContent, .contentAvailable, .collapseId, .priority, .pushType, .liveActivity, .data, .deliveryKey,
            .silent, .action, .channel:
            false
        }
    }
}

extension LocalizableText {
    /// The text itself, if it is not localized.
    fileprivate var plain: LocalizableText? { string == nil ? nil : self }

    /// The text as JSON, if it is not localized.
    fileprivate var string: JSONValue? {
        switch self {
        case .text(let text): .string(text)
        case .localized: nil
        }
    }
}
