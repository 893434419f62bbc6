extension Instant {
    /// Reads the `Date` header of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`; nil when it is anything else.
    ///
    /// Source: RFC 9110 section 5.6.7, IMF-fixdate.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        self.init("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
    }
}
