internal import Base
internal import Push

extension OrderEncoder {
    /// The findings about platforms that Apple does not reach.
    var audienceFindings: [Diagnostic] {
        if !draft.platforms.contains(.ios) {
            return [
                finding(
                    .error, .notSupported, ["audience", "platforms"],
                    "Apple reaches iOS devices only, and the audience has none",
                    help: "restrict the campaign with 'remotes', or include ios")
            ]
        }
        guard campaign.audience.platforms.contains(.android) else { return [] }
        return [
            finding(
                .warning, .notSupported, ["audience", "platforms"],
                "Apple reaches iOS devices only: Android devices are left out")
        ]
    }

    /// The findings about fields that the push type does not support, or requires.
    ///
    /// Source: docs/background/apple/payloads.md#push-types, docs/background/apple/payloads.md#payload. Errors that
    /// apply to every remote were
    /// reported when the files were read.
    var contentFindings: [Diagnostic] {
        switch type {
        case .alert, .voip, .complication, .fileprovider, .location: []
        case .background, .liveactivity, .widgets, .controls: misplaced
        case .mdm: misplaced + pushMagic
        case .pushtotalk: pushToTalk
        }
    }

    private var misplaced: [Diagnostic] {
        content.payloadFields.filter { !type.carries($0) }.compactMap { field in
            guard field.payloadRole == .perceived else {
                return finding(
                    .warning, .adjusted, path(field),
                    "a \(type.rawValue) push has no '\(field.rawValue)': it is left out")
            }
            // Reported when the files were read.
            if type == .background { return nil }
            return finding(
                .error, .pushType, path(field), "a \(type.rawValue) push has no '\(field.rawValue)'",
                help: "remove it, or use a separate campaign")
        }
    }

    private var pushMagic: [Diagnostic] {
        guard content.data?["mdm"]?.string?.isEmpty ?? true else { return [] }
        return [
            finding(
                .error, .pushType, path(.data), "an mdm push needs the device's PushMagic",
                help: "set data: {mdm: THE-PUSH-MAGIC}, with audience.devices")
        ]
    }

    private var pushToTalk: [Diagnostic] {
        var findings: [Diagnostic] = []
        if content.effectivePriority != 10 {
            findings.append(
                finding(
                    .warning, .pushType, path(.priority),
                    "Apple requires priority 10 for pushtotalk, not \(content.effectivePriority)"))
        }
        if campaign.expiration != .after(.zero) {
            findings.append(
                finding(
                    .warning, .pushType, ["expiration"],
                    "Apple requires a single attempt for pushtotalk: a late one is useless",
                    help: "set expiration: {after: 0s}"))
        }
        return findings
    }

    /// The findings about an expiration longer than Apple's storage.
    var expirationFindings: [Diagnostic] {
        let length: Duration? =
            switch campaign.expiration {
            case .after(let duration): duration
            case .at(let end): draft.scheduledAt.map { end.instant - $0 }
            case .never, nil: nil
            }
        guard let length, length > Self.longestStorage else { return [] }
        return [
            finding(
                .error, .notSupported, ["expiration"], "Apple stores a notification for at most 30 days",
                help: "set {after: 30d} or less, or never")
        ]
    }

    /// The longest time for which Apple stores a notification (docs/background/apple/service.md#storage).
    private static let longestStorage = Duration.seconds(30 * 86_400)
}
