package import HTTP
package import Base
package import Push

/// One complete answer of the service, not yet validated.
package struct APIAnswer: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body; nil when it is empty or not JSON.
    package let json: JSONValue?
    /// The server's time, from the `Date` header.
    package let date: Instant?
    /// True when the answer is from a bugle-server that reaches devices only through Apple.
    package let reachesAppleOnly: Bool
    /// True when the answer is from a bugle-server.
    package let isBugleServer: Bool
    /// The wait that `Retry-After` asks for; LeanCloud never sends it, a proxy may.
    package let retryAfter: Duration?
    /// The service's error; nil when the body has no `error`.
    package let fault: ServiceFault?

    /// Reads an answer.
    package init(_ response: HTTPResponse) {
        status = response.status
        json = try? JSONValue(parsing: response.body, limits: .anyMemory)
        date = response.headers["Date"].flatMap { Instant(httpDate: $0) }
        reachesAppleOnly = response.headers["X-Bugle-Devices"] == "apple"
        isBugleServer = response.headers["X-Bugle-Registry"] != nil || response.headers["X-Bugle-Devices"] != nil
        retryAfter = response.headers["Retry-After"].flatMap { Int64($0) }.flatMap {
            (0...300).contains($0) ? .seconds($0) : nil
        }
        fault = json.flatMap(ServiceFault.init)
    }

    /// True for a success status.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// True when the service asks to slow down.
    package var isRateLimit: Bool { fault?.code == 429 || status == 429 && fault?.code != 124 }

    /// True when the credentials are refused.
    package var isUnauthorized: Bool { fault.map { $0.code == 401 || status == 401 && $0.code != 124 } ?? false }

    /// True when the class or object does not exist.
    package var isAbsent: Bool { fault?.code == 101 && !isServerFailure }

    /// True when a condition matched no object.
    package var isConditionFailure: Bool { fault?.code == 305 && !isServerFailure }

    /// True when the service failed rather than refused, so that it may have acted or not.
    package var isServerFailure: Bool {
        if status >= 500 || status == 408 { return true }
        return switch fault?.code {
        case 124, 502, 503, 504, 511: true
        default: false
        }
    }

    /// The time for which the service will go on refusing: until its minute is over.
    ///
    /// > Within 1 minute the cloud keeps answering 429; after a minute it works again.
    /// Source: LeanCloud, "推送 REST API 使用指南", 限制.
    package var rateLimitPause: Duration {
        if let retryAfter { return retryAfter }
        guard let date else { return .seconds(61) }
        return .seconds(61 - (date.seconds % 60 + 60) % 60)
    }

    /// The answer in a message: `400, code 1: text`.
    package var summary: String {
        guard let fault else { return json == nil ? "\(status) without a JSON body" : "\(status)" }
        return "\(status), \(fault.code.map { "code \($0): " } ?? "")\(fault.text.shortened(to: 200))"
    }
}

/// An error reported by the service.
package struct ServiceFault: Hashable, Sendable {
    /// LeanCloud's error code; nil when there is none.
    package let code: Int64?
    /// The service's words, unchecked.
    package let text: String

    /// Finds the error in a body; nil when there is no `error`.
    package init?(_ body: JSONValue) {
        guard let error = body["error"], !error.isNull else { return nil }
        code = body["code"]?.integer
        text = error.string ?? error.canonicalText
    }
}
