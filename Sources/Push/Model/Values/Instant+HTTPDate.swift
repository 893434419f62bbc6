/// The `Date` header of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Source: RFC 9110 section 5.6.7, IMF-fixdate.
extension Instant {
    /// Reads the header; nil when it is anything else.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2,
            let month = Self.months.firstIndex(of: String(parts[2]))
        else { return nil }
        self.init("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
    }

    /// The header for this time.
    package var httpDate: String {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let date = CivilDate(daysSince1970: Int((Double(milliseconds) / 86_400_000).rounded(.down)))
        let text = isoText
        return "\(days[date.weekday]), \(text.dropFirst(8).prefix(2)) \(Self.months[date.month - 1]) \(text.prefix(4)) "
            + "\(text.dropFirst(11).prefix(8)) GMT"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
