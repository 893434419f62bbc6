package import Diagnostics

extension Message {
    /// Where a field stands as a platform sees it: under the platform when that sets it, else in the message.
    package func path(
        _ name: String, for platform: Platform, isSet: (MessageContent) -> Bool
    ) -> [FieldPathElement] {
        let override =
            switch platform {
            case .ios: ios
            case .android: android
            }
        guard let override, isSet(override) else { return ["message", .key(name)] }
        return ["message", .key(platform.rawValue), .key(name)]
    }
}
