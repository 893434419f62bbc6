internal import Base
internal import Push

/// The content of `data` that an Android device receives.
///
/// Keys of `android` override top-level keys; Apple's own top-level keys are left out.
/// Source: LeanCloud, "推送 REST API 使用指南", 消息内容参数.
struct AndroidView: Hashable {
    /// `alert`, `title` and `action` as strings, and `silent` when it is true.
    private(set) var fields: JSONObject = [:]
    /// Everything else.
    private(set) var custom: JSONObject

    /// Reads `data`.
    ///
    /// - Throws: ``Inexpressible`` when a part has an unknown form.
    init(_ data: PushData) throws(Inexpressible) {
        custom = try data.checkedContent(for: "android")
        for key in PushData.appleKeys.union(PushData.headerKeys) { custom[key] = nil }
        custom["aps"] = nil
        for key in ["alert", "title", "action"] {
            guard let value = custom.removeValue(forKey: key) else { continue }
            guard value.string != nil else {
                throw Inexpressible("has a '\(key)' for Android devices that is not a string")
            }
            fields[key] = value
        }
        guard let silent = custom.removeValue(forKey: "silent") else { return }
        guard let isSilent = silent.bool else { throw Inexpressible("has a 'silent' that is neither true nor false") }
        if isSilent { fields["silent"] = true }
    }
}
