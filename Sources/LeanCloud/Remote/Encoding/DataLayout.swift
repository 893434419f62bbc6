internal import Base
internal import Push

/// Arranges a message in `data`.
///
/// Top-level keys apply to every platform; the documentation says that a platform's object overrides them, and in older
/// editions that it replaces them. Both readings give the same result here: a platform's object is always complete, and
/// the top level holds only what applies to every platform.
/// Source: LeanCloud, "推送 REST API 使用指南", 消息内容参数.
struct DataLayout {
    let draft: PushDraft

    /// The value of `data`.
    var data: JSONObject {
        let message = draft.campaign.message
        let apple = PlatformContent(content: message.content(for: .ios), id: draft.notificationID)
        guard draft.reachesApple else { return withVendors(android) }
        if apple.content.needsRawForm { return apple.raw }
        guard draft.reachesAndroid else { return apple.flat(splitsTitle: false) }
        return mixed(apple.flat(splitsTitle: true), message)
    }

    private var android: JSONObject {
        PlatformContent(content: draft.campaign.message.content(for: .android), id: draft.notificationID).android
    }

    /// Both platforms: flat if one text serves both, otherwise with an object for iOS, otherwise one for each.
    private func mixed(_ apple: JSONObject, _ message: Message) -> JSONObject {
        let android = self.android
        let isCommon = android.allSatisfy { apple[$0.key] == $0.value } && apple["alert"]?.object == nil
        if message.android == nil, message.ios == nil, isCommon { return withVendors(apple) }
        if message.android == nil, android.keys.allSatisfy({ apple[$0] != nil }) {
            return withVendors(android.merging(["ios": .object(apple)]) { $1 })
        }
        var data: JSONObject = [:]
        if !apple.isEmpty { data["ios"] = .object(apple) }
        if !android.isEmpty { data["android"] = .object(android) }
        guard !message.vendors.isEmpty else { return data }
        // A vendor's object overrides these.
        data["alert"] = android["alert"]
        if apple["title"] != nil { data["title"] = android["title"] }
        return withVendors(data)
    }

    private func withVendors(_ data: JSONObject) -> JSONObject {
        data.merging(draft.campaign.message.vendors) { $1 }
    }
}
