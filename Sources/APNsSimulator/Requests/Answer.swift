internal import Base

/// The response to a request.
struct Answer {
    let status: Int
    /// The reason of a refusal.
    var reason: String?
    /// The header fields besides `:status`.
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []
    /// True when a notification reached an inbox or a channel.
    var isProcessed = false

    init(status: Int, headers: [(name: String, value: String)]) {
        self.status = status
        self.headers = headers
    }

    /// Creates a refusal: the reason as JSON and, for 410, the time (docs/background/apple/requests.md#answer).
    init(_ refusal: Refusal, headers: [(name: String, value: String)]) {
        status = refusal.reason.status
        reason = refusal.reason.name
        self.headers = headers + [("content-type", "application/json")]
        var json: JSONValue = ["reason": .string(refusal.reason.name)]
        if status == 410, let timestamp = refusal.timestamp { json["timestamp"] = .integer(timestamp) }
        body = json.canonicalBytes
    }
}
