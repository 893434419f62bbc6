import Base
import Push
import Testing

/// When requests of a delivery may be made.
@Suite struct DeliveryTimeTests {
    private static let noon = Instant(seconds: 1_795_176_000)

    private static func entry(_ change: (inout LedgerEntry) -> Void = { _ in }) -> LedgerEntry {
        let id = DeliveryID(workspace: "giants", campaign: "score", revision: 1)
        var entry = LedgerEntry(
            delivery: id, generation: 0, notificationID: id, workspace: "giants", campaign: "score", revision: 1,
            state: .sending, request: nil, fingerprint: Digest(of: "f"), content: Digest(of: "c"), encoder: 1,
            intendedAt: noon, window: .seconds(3600), fence: 1, provenance: Provenance())
        change(&entry)
        return entry
    }

    private static func time(
        quiet: (Int, Int)? = nil, windowFrom start: Instant? = noon, _ change: (inout LedgerEntry) -> Void = { _ in }
    ) -> DeliveryTime {
        DeliveryTime(
            entry(change), windowFrom: start,
            quietHours: quiet.flatMap { QuietHours(from: $0.0, to: $0.1, timeZone: "UTC") })
    }

    @Test func theWindowIncludesItsEnd() {
        #expect(Self.time().objection(at: Self.noon + .seconds(3600)) == nil)
        #expect(
            Self.time().objection(at: Self.noon + .milliseconds(3_600_001))
                == .over(Reason(.windowEnded, .instant(Self.noon + .seconds(3600)))))
        #expect(Self.time(windowFrom: nil).objection(at: Self.noon + .seconds(86_400)) == nil)
    }

    @Test func atTheMomentOfItsExpirationItIsOver() {
        let time = Self.time { $0.expiresAt = Self.noon + .seconds(60) }
        #expect(time.objection(at: Self.noon + .milliseconds(59_999)) == nil)
        #expect(
            time.objection(at: Self.noon + .seconds(60)) == .over(Reason(.expired, .instant(Self.noon + .seconds(60)))))
    }

    @Test func quietHoursObjectToWhatWouldReachDevicesInThem() {
        let time = Self.time(quiet: (12 * 60 + 1, 12 * 60 + 3))
        #expect(time.objection(at: Self.noon + .milliseconds(59_999)) == nil)
        #expect(time.objection(at: Self.noon + .seconds(60)) == .quietHours)
        #expect(time.objection(at: Self.noon + .seconds(180)) == nil)
        let scheduled = Self.time(quiet: (12 * 60 + 1, 12 * 60 + 3)) { $0.scheduledAt = Self.noon + .seconds(180) }
        #expect(scheduled.objection(at: Self.noon + .seconds(60)) == nil)
    }

    @Test func theLastMomentIsThatOfWhateverEndsFirst() {
        let limit = Duration.seconds(100)
        #expect(Self.time().end(from: Self.noon, within: limit) == Self.noon + limit)
        let late = Self.noon + .seconds(3550)
        #expect(Self.time().end(from: late, within: limit) == Self.noon + .seconds(3600))
        let expiring = Self.time { $0.expiresAt = Self.noon + .seconds(60) }
        #expect(expiring.end(from: Self.noon, within: limit) == Self.noon + .milliseconds(59_999))
        let quiet = Self.time(quiet: (12 * 60 + 1, 12 * 60 + 3))
        #expect(quiet.end(from: Self.noon, within: limit) == Self.noon + .milliseconds(59_999))
        #expect(quiet.end(from: Self.noon, within: .seconds(59)) == Self.noon + .seconds(59))
        #expect(quiet.end(from: Self.noon, within: .seconds(60)) == Self.noon + .milliseconds(59_999))
    }

    @Test func atItsLastMomentARequestMayStillBeMadeAndAMomentLaterNot() {
        for seconds in stride(from: 0, to: 300, by: 7) {
            let now = Self.noon + .seconds(seconds)
            for time in [
                Self.time(quiet: (12 * 60 + 5, 13 * 60)),
                Self.time(quiet: (12 * 60 + 7, 13 * 60)) { $0.expiresAt = Self.noon + .seconds(333) },
            ] where time.objection(at: now) == nil {
                let end = time.end(from: now, within: .seconds(3000))
                #expect(end >= now)
                #expect(time.objection(at: end) == nil)
                #expect(time.objection(at: end + .milliseconds(1)) != nil)
            }
        }
    }

    @Test(arguments: [
        (22 * 60, 8 * 60, "2026-11-20T23:30:30Z", "2026-11-21T08:00:00Z"),
        (22 * 60, 8 * 60, "2026-11-20T07:59:59Z", "2026-11-20T08:00:00Z"),
        (12 * 60, 12 * 60 + 1, "2026-11-20T12:00:59Z", "2026-11-20T12:01:00Z"),
        (0, 24 * 60, "2026-11-20T12:00:00Z", nil),
    ])
    func quietHoursSayWhenTheyEnd(_ from: Int, _ to: Int, _ now: String, _ end: String?) throws {
        let quiet = try #require(QuietHours(from: from, to: to, timeZone: "UTC"))
        #expect(quiet.end(after: try #require(Instant(now)))?.text == end)
    }

    @Test func everyGenerationOfADeliveryHasItsID() {
        let id = { (generation: Int) in
            DeliveryID(workspace: "giants", campaign: "score", revision: 1, generation: generation)
        }
        #expect(Self.entry().notificationIDs() == [id(0)])
        let third = Self.entry {
            $0.generation = 3
            $0.notificationID = id(3)
        }
        #expect(third.notificationIDs() == [id(0), id(1), id(2), id(3)])
        // Renamed: the ids are those of the former name.
        let renamed = Self.entry {
            $0.campaign = "renamed"
            $0.generation = 2
            $0.notificationID = id(2)
        }
        #expect(renamed.notificationIDs() == [id(0), id(2)])
        #expect(
            Self.entry { ($0.generation, $0.notificationID) = (2, id(2)) }.renamed(to: "renamed").notificationIDs() == [
                id(0), id(1), id(2),
            ])
    }
}
