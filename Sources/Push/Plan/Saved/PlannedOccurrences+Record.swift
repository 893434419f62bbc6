package import Base

extension PlannedOccurrences {
    /// The record of the member `occurrences` of a change.
    package static let record = Record<PlannedOccurrences>(
        PlannedOccurrences(next: [], following: 0),
        [
            Field(
                "next", .list(of: .record(Next.record, definedAs: "occurrence")), "The next ones, by time.",
                { $0.next }, { $0.next = $1 }),
            Field(
                "following", .count, "The number of further ones until the last.", { $0.following },
                { $0.following = $1 }),
            Field("last", orNull: .date, "The day of the last one.", { $0.last }, { $0.last = $1 }),
            Field(
                optional: "absent", .list(of: .text, "A day such as 2027-02-30.", minimum: 1),
                "Days that the rule names but a month does not have.", unless: [], { $0.absent }, { $0.absent = $1 }),
            Field(
                "mustRun", orNull: .record(Span.record, definedAs: "span"),
                "The time in which something must run for the next one; null: nothing must.", { $0.mustRun },
                { $0.mustRun = $1 }),
        ])
}

extension PlannedOccurrences.Next {
    package static let record = Record<Self>(
        Self(
            date: CivilDate(daysSince1970: 0), delivery: DeliveryID(workspace: "", campaign: "", revision: 0),
            at: OffsetInstant(.distantPast), latestStart: OffsetInstant(.distantPast)),
        [
            Field("date", .date, "The day, which identifies it.", { $0.date }, { $0.date = $1 }),
            Field("delivery", .delivery, "The id of its delivery.", { $0.delivery }, { $0.delivery = $1 }),
            Field("at", .time, "The time of sending.", { $0.at }, { $0.at = $1 }),
            Field(
                "latestStart", .time, "The time until which it may still start.", { $0.latestStart },
                { $0.latestStart = $1 }),
        ])
}

extension PlannedOccurrences.Span {
    package static let record = Record<Self>(
        Self(from: OffsetInstant(.distantPast), until: OffsetInstant(.distantPast)),
        [
            Field("from", .time, "The beginning.", { $0.from }, { $0.from = $1 }),
            Field("until", .time, "The end.", { $0.until }, { $0.until = $1 }),
        ])
}

extension JSONForm<CivilDate> {
    fileprivate static var date: JSONForm<CivilDate> {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$") },
            write: { $0.text }, read: { CivilDate($0) })
    }
}
