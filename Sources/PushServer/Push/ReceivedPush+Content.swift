internal import DeviceRegistry
internal import Base
internal import Push

extension ReceivedPush {
    /// The content of the message as its device sees it.
    var content: JSONObject {
        var content = PushData(data).content(for: platform, vendor: vendor)
        guard let badge else { return content }
        if content["badge"] == "Increment" { content["badge"] = .integer(badge) }
        if var aps = content["aps"], aps["badge"] == "Increment" {
            aps["badge"] = .integer(badge)
            content["aps"] = aps
        }
        return content
    }
}
