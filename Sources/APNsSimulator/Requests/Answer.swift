internal import JSONValue

/// What a request is answered.
struct Answer {
    let status: Int
    /// The reason of a refusal.
    var reason: String?
    /// Header fields beside `:status`.
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []
    /// Whether a notification reached an inbox or a channel.
    var isProcessed = false

    init(status: Int, headers: [(name: String, value: String)]) {
        self.status = status
        self.headers = headers
    }

    /// A refusal: its reason as JSON, and of 410 the time (<doc:/APNs/AppleRequests#Answer>).
    init(_ refusal: Refusal, headers: [(name: String, value: String)]) {
        status = refusal.reason.status
        reason = refusal.reason.name
        self.headers = headers + [("content-type", "application/json")]
        var json: JSONValue = ["reason": .string(refusal.reason.name)]
        if status == 410, let timestamp = refusal.timestamp { json["timestamp"] = .integer(timestamp) }
        body = json.canonicalBytes
    }
}
