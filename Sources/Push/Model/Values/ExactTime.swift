extension Instant {
    /// RFC 3339 in UTC, with milliseconds only if there are any, so that parsing gives the same instant.
    package var exactText: String { milliseconds % 1000 == 0 ? text : isoText }
}

extension OffsetInstant {
    /// RFC 3339 as written, with milliseconds only if there are any, so that parsing gives the same instant.
    package var exactText: String {
        guard instant.milliseconds % 1000 != 0 else { return text }
        let fraction = instant.isoText.dropLast().suffix(4)
        // The date and the time to the second are 19 characters; the offset follows.
        return "\(text.prefix(19))\(fraction)\(text.dropFirst(19))"
    }
}
