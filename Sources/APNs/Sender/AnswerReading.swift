internal import JSONValue

extension Refusal {
    /// Reads what Apple answered: `{"reason": …, "timestamp": …}`, or whatever stands there instead.
    ///
    /// Source: <doc:AppleRequests#Answer>, <doc:AppleReasons#Reasons>. A body that is no such object gives the status
    /// as the reason.
    init(status: Int, body: [UInt8]) {
        let object = try? JSONValue(parsing: body).object
        let reason = object?["reason"]?.string.map(Self.printable) ?? ""
        self.init(
            status: status, reason: reason.isEmpty ? "HTTP \(status)" : reason,
            timestamp: status == 410 ? object?["timestamp"]?.integer : nil)
    }

    /// A reason as it may be shown and counted: printable ASCII, at most 64 characters.
    static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(64).map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}
