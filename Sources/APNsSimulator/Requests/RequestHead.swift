internal import NIOHPACK

/// The header fields of a request that matter here; others are ignored (docs/background/apple/service.md#connections).
struct RequestHead {
    var method = ""
    var path = ""
    var authorization: String?
    var id: String?
    var requestID: String?
    var pushType: String?
    var topic: String?
    var expiration: String?
    var priority: String?
    var collapseID: String?
    var channelID: String?
    /// True when one of the fields came twice.
    var hasDuplicates = false

    init(_ headers: HPACKHeaders) {
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case "authorization": Self.set(&authorization, value, &hasDuplicates)
            case "apns-id": Self.set(&id, value, &hasDuplicates)
            case "apns-request-id": Self.set(&requestID, value, &hasDuplicates)
            case "apns-push-type": Self.set(&pushType, value, &hasDuplicates)
            case "apns-topic": Self.set(&topic, value, &hasDuplicates)
            case "apns-expiration": Self.set(&expiration, value, &hasDuplicates)
            case "apns-priority": Self.set(&priority, value, &hasDuplicates)
            case "apns-collapse-id": Self.set(&collapseID, value, &hasDuplicates)
            case "apns-channel-id": Self.set(&channelID, value, &hasDuplicates)
            default: break
            }
        }
    }

    /// Sets a field and notes a duplicate.
    private static func set(_ field: inout String?, _ value: String, _ hasDuplicates: inout Bool) {
        if field != nil { hasDuplicates = true }
        field = value
    }
}
