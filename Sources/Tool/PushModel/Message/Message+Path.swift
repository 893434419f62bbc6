package import Diagnostics

extension Message {
    /// The path of a field as a platform sees it: under the platform when that sets it, else in the message.
    package func path(_ field: ContentField, for platform: Platform) -> [FieldPathElement] {
        let override =
            switch platform {
            case .ios: ios
            case .android: android
            }
        let name = FieldPathElement.key(field.rawValue)
        return override?.value(of: field) != nil ? ["message", .key(platform.rawValue), name] : ["message", name]
    }
}
