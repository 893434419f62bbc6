internal import HTTP
internal import Base
internal import Push

extension PushNotification {
    /// The headers shared by all requests of the notification, without the token.
    ///
    /// Source: docs/background/apple/requests.md#request, docs/background/apple/broadcasts.md#sending.
    var headers: [(String, String)] {
        var headers = [("apns-push-type", pushType.rawValue), ("apns-priority", "\(priority)")]
        if destination == .devices { headers.append(("apns-topic", topic)) }
        if let expiration { headers.append(("apns-expiration", "\(expiration)")) }
        if let collapseID { headers.append(("apns-collapse-id", collapseID)) }
        return headers
    }

    /// The shared headers with the token, ready to be sent to devices or to a broadcast channel.
    func shared(bearing token: Secret?, to channel: String?) throws(TransportError) -> HTTP2Headers {
        var all = headers
        // Passed to the framing code only and stored nowhere else.
        if let token { all.append(("authorization", "bearer \(token.revealedText)")) }
        if let channel { all.append(("apns-channel-id", channel)) }
        return try HTTP2Headers(all, ownName: channel == nil ? "apns-id" : "apns-request-id")
    }

    /// Writes the path for a target; false when the token must not stand in a path.
    func write(pathFor target: String, to path: inout [UInt8]) -> Bool {
        path.removeAll(keepingCapacity: true)
        switch destination {
        case .devices:
            path.append(contentsOf: "/3/device/".utf8)
            let start = path.count
            path.append(contentsOf: target.utf8)
            for byte in path[start...] where !byte.isHexadecimal { return false }
            return path.count > start
        case .broadcastChannels:
            path.append(contentsOf: "/4/broadcasts/apps/".utf8)
            path.append(contentsOf: topic.utf8)
            return true
        }
    }
}
