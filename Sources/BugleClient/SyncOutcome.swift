public import Foundation

/// What became of what waits.
public enum SyncOutcome: Hashable, Sendable {
    /// Everything was sent, except events of deliveries that are under way, which the next call reports again.
    case done
    /// Nothing of the device can be sent before it has a token.
    case waitsForToken
    /// The server could not be reached, or refused something: it is kept, and tried again with a call from this time on.
    ///
    /// The text is the server's refusal, for developers: a wrong key or field is not put right by waiting.
    case later(Date, String? = nil)
}

/// The pause after failures: 2 s, then twice as long each time, up to an hour.
struct RetryPause {
    private var failures = 0
    /// The time before which nothing is tried; nil: now.
    private(set) var until: Date?

    /// Notes a failure; returns the time of the next attempt.
    mutating func next(at now: Date, atLeast: TimeInterval?) -> Date {
        let pause = max(min(pow(2, Double(failures + 1)), 3600), min(atLeast ?? 0, 86_400))
        failures = min(failures + 1, 20)
        let time = now.addingTimeInterval(pause)
        until = time
        return time
    }
}

/// An answer of the server that is no success.
struct ServerRefusal: Error {
    let message: String
    let retryAfter: TimeInterval?
}
