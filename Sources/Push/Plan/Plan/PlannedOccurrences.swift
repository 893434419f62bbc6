/// The occurrences of a recurring campaign that are ahead.
package struct PlannedOccurrences: Hashable, Sendable {
    /// The next ones, by time; at most ``listed``.
    package var next: [Next]
    /// The number of further ones.
    package var following: Int
    /// The day of the last one.
    package var last: CivilDate?
    /// The days between the listed ones that the rule names but a month does not have, such as `2027-02-30`.
    package var absent: [String]
    /// The time in which something must run for the next one that is not in the remote's hands; nil: nothing must.
    package var mustRun: Span?

    /// The most occurrences that a plan lists.
    package static let listed = 5

    /// One occurrence ahead.
    package struct Next: Hashable, Sendable {
        /// The day: its identity.
        package var date: CivilDate
        /// The id of its delivery.
        package var delivery: DeliveryID
        /// The time of sending.
        package var at: OffsetInstant
        /// The latest time at which it may still start.
        package var latestStart: OffsetInstant

        package init(date: CivilDate, delivery: DeliveryID, at: OffsetInstant, latestStart: OffsetInstant) {
            self.date = date
            self.delivery = delivery
            self.at = at
            self.latestStart = latestStart
        }
    }

    /// A time with both its ends.
    package struct Span: Hashable, Sendable {
        /// The beginning.
        package var from: OffsetInstant
        /// The end.
        package var until: OffsetInstant

        package init(from: OffsetInstant, until: OffsetInstant) {
            self.from = from
            self.until = until
        }
    }

    package init(
        next: [Next], following: Int, last: CivilDate? = nil, absent: [String] = [], mustRun: Span? = nil
    ) {
        self.next = next
        self.following = following
        self.last = last
        self.absent = absent
        self.mustRun = mustRun
    }

    /// The number of occurrences ahead.
    package var ahead: Int { next.count + following }
}
