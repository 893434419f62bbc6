internal import ArgumentParser
internal import Push

/// An instant on the command line, in RFC 3339 with an offset.
struct InstantOption: ExpressibleByArgument, Sendable {
    /// The instant.
    let instant: Instant

    init?(argument: String) {
        guard let instant = Instant(argument) else { return nil }
        self.instant = instant
    }
}
