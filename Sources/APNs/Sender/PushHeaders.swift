internal import CurlHTTP
internal import Diagnostics
internal import PushModel

extension PushNotification {
    /// The headers that all its requests share, but for the token. Source: apns.md, A3.
    var headers: [(String, String)] {
        var headers = [("apns-topic", topic), ("apns-push-type", pushType.rawValue), ("apns-priority", "\(priority)")]
        switch expiration {
        case .never: break
        case .oneAttempt: headers.append(("apns-expiration", "0"))
        case .until(let second): headers.append(("apns-expiration", "\(second)"))
        }
        if let collapseID { headers.append(("apns-collapse-id", collapseID)) }
        return headers
    }

    /// The same with the token, ready to be sent.
    func shared(bearing token: Secret?) throws(TransportError) -> PumpHeaders {
        guard let token else { return try PumpHeaders(headers) }
        // Handed to libcurl and kept nowhere else.
        return try PumpHeaders([("authorization", "bearer \(token.revealedText)")] + headers)
    }
}
