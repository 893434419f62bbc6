import Crypto
import Push
import Testing

/// The values that divide a delivery: buckets, shares, local times, verdicts.
@Suite struct PartValueTests {
    /// Test vectors: anyone can compute the bucket of a device, `SHA-256("bugle-bucket\n" + salt + "\n" + key)`.
    @Test(
        arguments: [
            ("k3jk3jk3jk3jk3jk", "5f9d2c3b1a0e4d7c8b6a5948", 5297), ("2027-q1", "5f9d2c3b1a0e4d7c8b6a5948", 5060),
            ("", "", 1554), ("k3jk3jk3jk3jk3jk", "新闻", 7392),
        ])
    func aBucketDependsOnSaltAndKeyAlone(salt: String, key: String, bucket: Int) {
        #expect(Buckets(salt: salt).bucket(of: Array(key.utf8)) == bucket)
    }

    /// OpenSSL makes the hash, swift-crypto checks it: at every length around the blocks of 64 bytes.
    @Test func aBucketIsThatOfTheWholeText() {
        for length in 0..<200 {
            let key = (0..<length).map { UInt8(truncatingIfNeeded: 37 * $0 + length) }
            let start = SHA256.hash(data: Array("bugle-bucket\nsalt\n".utf8) + key).prefix(8)
            let number = start.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            #expect(Buckets(salt: "salt").bucket(of: key) == Int(number % 10_000), "\(length) bytes")
        }
    }

    @Test func stagesHaveTheirSharesOfManyDevicesAndNest() {
        let buckets = Buckets(salt: "delivery")
        let devices = (0..<100_000).map { buckets.bucket(of: Array("device\($0)".utf8)) }
        for percent in [1, 10, 50] {
            let share = Share(parts: percent * 100)
            let count = devices.count { $0 < share.parts }
            let deviation = (100_000 * share.fraction * (1 - share.fraction)).squareRoot()
            #expect(abs(Double(count - share.of(100_000))) < 3 * deviation)
        }
        let rollout = Rollout(stages: [Share("1%")!, Share("10%")!, .whole], bake: .zero, stopWhen: .init())
        #expect([0, 99, 100, 999, 1000, 9999].map(rollout.stage(ofBucket:)) == [1, 1, 2, 2, 3, 3])
        #expect((1...3).map { rollout.share(ofStage: $0).text } == ["1%", "9%", "90%"])
    }

    @Test(arguments: [("1%", 100), ("0.5%", 50), ("2.25%", 225), ("100%", 10_000), ("0%", 0), ("0.05%", 5)])
    func aShareIsReadAndWritten(text: String, parts: Int) {
        #expect(Share(text)?.parts == parts && Share(parts: parts).text == text)
    }

    @Test(arguments: ["", "%", "1", "1 %", "-1%", "100.01%", "101%", "1.%", ".5%", "0.005%", "1e1%", "１%"])
    func anythingElseIsNoShare(text: String) { #expect(Share(text) == nil) }

    @Test(
        arguments: [
            // A gap, a fold, a skipped day, half an hour of daylight saving.
            ("Europe/Berlin", "2027-03-28T02:30:00", "2027-03-28T01:00:00Z"),
            ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
            ("Pacific/Apia", "2011-12-30T09:00:00", "2011-12-30T10:00:00Z"),
            ("Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:30:00Z"),
            ("Asia/Shanghai", "2026-12-01T09:00:00", "2026-12-01T01:00:00Z"),
            ("Pacific/Kiritimati", "2026-12-01T09:00:00", "2026-11-30T19:00:00Z"),
        ])
    func aLocalTimeIsTheFirstMomentThatShowsIt(zone: String, local: String, instant: String) throws {
        let clock = try #require(ZoneClock(zone))
        #expect(clock.firstInstant(showing: try #require(LocalTime(local))) == Instant(instant))
    }

    @Test(arguments: [
        "2026-12-01T09:00:00Z", "2026-12-01T09:00:00+08:00", "2026-12-01T09:00", "2026-02-30T09:00:00", "",
    ])
    func whatHasAnOffsetOrNoDayIsNoLocalTime(text: String) { #expect(LocalTime(text) == nil) }

    @Test func theWilsonIntervalIsThatOfTheBooks() {
        // Newcombe 1998, table I: 81 of 263.
        let interval = WilsonInterval(hits: 81, of: 263)
        #expect(abs(interval.lower - 0.2553) < 0.0001 && abs(interval.upper - 0.3662) < 0.0001)
        #expect(WilsonInterval(hits: 0, of: 20).lower == 0 && WilsonInterval(hits: 20, of: 20).upper == 1)
    }

    @Test(
        arguments: [
            // Accepted, refused, dead tokens, in doubt.
            ([1000, 0, 0, 0], .go), ([299, 0, 0, 0], .hold), ([1000, 20, 0, 0], .go), ([1000, 40, 0, 0], .halt),
            ([1000, 0, 150, 0], .go), ([1000, 0, 250, 0], .halt), ([1000, 0, 0, 30], .halt), ([0, 0, 0, 0], .hold),
            // A few refusals among a few answers are enough to stop, though not to go on.
            ([3, 5, 0, 0], .halt),
        ] as [([Int], StageVerdict.Decision)])
    func aStageIsHaltedOnlyByARateThatIsCertainlyAboveItsLimit(counts: [Int], decision: StageVerdict.Decision) {
        let rollout = Rollout(
            stages: [Share("10%")!, .whole], bake: .zero,
            stopWhen: .init(refused: Share("2%"), deadTokens: Share("15%"), inDoubt: Share("1%")))
        let answers = StageVerdict.Answers(
            accepted: counts[0], refused: counts[1], deadTokens: counts[2], inDoubt: counts[3])
        let verdict = rollout.verdict(onStage: 1, answers, at: Instant(seconds: 0))
        #expect(verdict.decision == decision)
    }

    @Test(
        arguments: [
            (1000, 2, .halt, "opened is 2 of 1,000, at most 0.73%, below 1%"),
            (1000, 4, .go, "1,000 answers, no rate passes its limit"),
            (1000, 2000, .go, "1,000 answers, no rate passes its limit"),
            // None of 380 may be one of a hundred: neither that nor that nobody counts is a pass.
            (380, 0, .hold, "380 accepted, fewer than the 381 from which 1% can be told from none"),
            (381, 0, .halt, "opened is 0 of 381, at most 1.00%, below 1%"),
            (1000, nil, .hold, "nobody counts who opened it"),
            (0, 0, .hold, "0 answers, fewer than the minimum of 300"),
        ] as [(Int, Int?, StageVerdict.Decision, String)])
    func aStageIsHaltedWhenCertainlyTooFewOpenIt(
        accepted: Int, opened: Int?, decision: StageVerdict.Decision, rule: String
    ) throws {
        let limits = Rollout.Limits(opened: Rollout.Floor(below: try #require(Share("1%"))))
        let rollout = Rollout(stages: [Share("10%")!, .whole], bake: .zero, stopWhen: limits)
        let verdict = rollout.verdict(
            onStage: 1, StageVerdict.Answers(accepted: accepted, opened: opened), at: Instant(seconds: 0))
        #expect(verdict.decision == decision && verdict.rule.text == rule, "\(verdict.rule.text)")
    }
}
