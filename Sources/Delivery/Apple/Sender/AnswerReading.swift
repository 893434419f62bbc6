internal import Base

extension Refusal {
    /// Reads Apple's answer: `{"reason": …, "timestamp": …}`, or whatever came instead.
    ///
    /// Source: docs/background/apple/requests.md#answer, docs/background/apple/reasons.md#reasons. For a body that is
    /// not such an object, the reason is the status.
    init(status: Int, body: [UInt8]) {
        let object = try? JSONValue(parsing: body).object
        let reason = object?["reason"]?.string.map(Self.printable) ?? ""
        self.init(
            status: status, reason: reason.isEmpty ? "HTTP \(status)" : reason,
            timestamp: status == 410 ? object?["timestamp"]?.integer : nil)
    }

    /// A reason that is safe to show and count: printable ASCII, at most 64 characters.
    static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(64).map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}
