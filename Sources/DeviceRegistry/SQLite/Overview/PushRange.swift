internal import Base
package import Push

/// A range of the times when pushes were accepted.
package struct PushRange: Hashable, Sendable {
    /// The start; nil for the first push.
    package var start: Instant?
    /// The end, which is not part of it; nil for the newest push.
    package var end: Instant?

    /// Creates a range, of all pushes by default.
    package init(start: Instant? = nil, end: Instant? = nil) {
        self.start = start
        self.end = end
    }
}

/// The last push of a page, after which the next page starts.
package struct PushCursor: Hashable, Sendable {
    let createdAt: Int64
    let row: Int64

    /// The position before the newest push.
    static let start = PushCursor(createdAt: .max, row: .max)

    private init(createdAt: Int64, row: Int64) {
        self.createdAt = createdAt
        self.row = row
    }

    /// Creates the cursor after a push.
    package init(after push: PushSummary) {
        self.init(createdAt: push.createdAt.milliseconds, row: push.row)
    }

    /// Parses the result of ``text``; nil when it is invalid.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let createdAt = parts[0], let row = parts[1], createdAt >= 0, row > 0 else {
            return nil
        }
        self.init(createdAt: createdAt, row: row)
    }

    /// The cursor in a URL.
    package var text: String { "\(createdAt)-\(row)" }
}

/// The sums of several pushes.
package struct PushTotals: Hashable, Sendable {
    /// The number of pushes.
    package let pushes: Int
    /// The number of devices that matched, real and simulated.
    package private(set) var devices: Int64 = 0
    /// The number of devices that it was accepted for.
    package private(set) var successes: Int64 = 0
    /// The number of tokens that are invalid.
    package private(set) var invalidTokens: Int64 = 0
    /// The number of pushes whose record is no longer kept, and that count in no other sum.
    package private(set) var withoutRecord = 0
    /// True if the range has more pushes than were summed up.
    package let stoppedEarly: Bool

    init(_ pushes: some Collection<PushSummary>, stoppedEarly: Bool) {
        self.pushes = pushes.count
        self.stoppedEarly = stoppedEarly
        var counted: Set<String> = []
        for push in pushes {
            if push.record == nil, push.state != "cancelled" { withoutRecord += 1 }
            // Pushes with the same id share a record.
            guard counted.insert(push.order.notificationID).inserted else { continue }
            devices += push.total(.devices)
            successes += push.total(.successes)
            invalidTokens += push.total(.invalidTokens)
        }
    }
}
