internal import JSONValue
internal import PushModel

/// What an Android device gets of `data`.
///
/// Keys of `android` override those on top; Apple's own keys on top are not for it.
/// Source: LeanCloud, "推送 REST API 使用指南", 消息内容参数.
struct AndroidView: Hashable {
    /// `alert` and `title` as texts, `silent` when it is true, `action`.
    private(set) var fields: JSONObject = [:]
    /// Everything else.
    private(set) var custom: JSONObject

    /// Reads `data`.
    ///
    /// - Throws: ``Unsayable`` when something in it has a form that is not known.
    init(_ data: JSONObject) throws(Unsayable) {
        custom = try DataParts.merged(data, platform: "android")
        for key in AppleView.flatKeys.union(AppleView.headerKeys) { custom[key] = nil }
        custom["aps"] = nil
        for key in ["alert", "title", "action"] {
            guard let value = custom.removeValue(forKey: key) else { continue }
            guard value.string != nil else { throw Unsayable("has a '\(key)' for Android devices that is no text") }
            fields[key] = value
        }
        guard let silent = custom.removeValue(forKey: "silent") else { return }
        guard let isSilent = silent.bool else { throw Unsayable("has a 'silent' that is neither true nor false") }
        if isSilent { fields["silent"] = true }
    }
}
