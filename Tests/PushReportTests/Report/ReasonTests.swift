internal import Base
internal import Push
internal import PushReport
internal import Testing

/// Reasons are values, whose words stand in one table in every language.
@Suite struct ReasonTests {
    private static func places(_ words: String) -> [Int] {
        words.matches(of: /\{([0-9]*)\}/).enumerated().map { Int($1.output.1) ?? $0 }.sorted()
    }

    @Test(arguments: Reason.Code.all)
    func bothLanguagesHaveTheSamePlacesAndWordsOfTheirOwn(_ code: Reason.Code) {
        #expect(Self.places(code.english) == Array(0..<code.places), "\(code)")
        #expect(Self.places(code.chinese) == Array(0..<code.places), "\(code)")
        #expect(!code.english.unicodeScalars.contains { $0.properties.isUnifiedIdeograph }, "\(code)")
        /// Punctuation, and names that are the same in both.
        let same =
            ["verbatim", "both", "also", "says", "remarked", "holdout", "deviceProfile", "deviceProfileKind"]
            + ["deviceProfiles"]
        #expect(
            same.contains(code.name) || code.chinese.unicodeScalars.contains { $0.properties.isUnifiedIdeograph },
            "\(code)")
    }

    @Test(arguments: Reason.Code.all) func whatFillsAPlaceIsSaid(_ code: Reason.Code) throws {
        let values = (0..<code.places).map { ["text": .string("value-\($0)")] as JSONValue }
        let json: JSONValue = ["text": "x", "code": .string(code.name), "values": .array(values)]
        let reason = try Reason.form.read(json)
        #expect(reason.code == code || code.name == "verbatim")
        for language in Language.allCases where code.name != "verbatim" {
            let words = language.say(reason)
            for place in 0..<code.places { #expect(words.contains("value-\(place)"), "\(words)") }
            #expect(!words.contains("{}"), "\(words)")
        }
        #expect(Language.english.say(reason) == reason.text)
    }

    private static let moment = Instant("2026-11-20T12:00:00Z") ?? Instant(seconds: 0)

    static let examples: [(Reason, String, String)] = [
        (
            Audience(channels: ["Giants"], condition: ["scores": true], platforms: [.ios]).reason,
            "channel Giants, where scores = true, on ios", "频道 Giants，条件 scores = true，平台 ios"
        ),
        (
            Audience(channels: ["A", "B", "C"], deviceProfile: "driver").reason,
            "channels A, B or C, deviceProfile driver", "频道 A, B 或 C，deviceProfile driver"
        ),
        (
            Audience(everyone: true, platforms: [.ios, .android]).reason, "everyone, on ios or android",
            "全部设备，平台 ios 或 android"
        ),
        // What is the user's own is no sentence.
        (Audience(segments: ["everyone"]).reason, "segment everyone", "分群 everyone"),
        (Audience(segments: ["7d", "new"]).reason, "segments 7d and new", "分群 7d 且 new"),
        (.verbatim("on hold"), "on hold", "on hold"),
        (
            Reason(.interrupted, .age(seconds: 10_800), .reason(Reason(.askedUntil, .instant(moment)))),
            "a send that was interrupted 3 h ago: the remote is asked again until 2026-11-20T12:00:00Z",
            "3 小时前中断的发送：在 2026年11月20日 12:00:00 UTC 之前继续向远端查询"
        ),
        (
            Reason(.clocksBack, .duration(.seconds(3600)), .time(OffsetInstant(moment, offset: 7200))),
            "clocks there go back 1h at 2026-11-20 14:00 +02:00", "当地时钟于 2026年11月20日 14:00 +02:00 拨慢 1 小时"
        ),
        (
            PartStanding(kind: .wave, number: 1, of: 4, accepted: 40, refused: 0, inDoubt: 2, next: moment).reason,
            "wave 1/4 sent: 40 accepted, 0 refused, 2 in doubt; next 2026-11-20T12:00:00Z",
            "第 1 / 4 批已发送：40 台已接受，0 台被拒绝，2 台存疑；下一批 2026年11月20日 12:00:00 UTC"
        ),
        (
            PartStanding(kind: .stage, number: 1, of: 3, accepted: 627, refused: 0, next: moment).outcome,
            "stage 1 of 3 sent, 627 devices; judged at 2026-11-20T12:00:00Z, next: bugle apply --due",
            "第 1 / 3 阶段已发送，627 台设备；2026年11月20日 12:00:00 UTC 判定，之后执行：bugle apply --due"
        ),
        (
            VariantStanding(
                variants: [
                    VariantAnswers(name: "emoji", answers: .init(accepted: 970, refused: 30, opened: 100)),
                    VariantAnswers(name: "plain", answers: .init()),
                ], decideBy: moment
            ).reason,
            "emoji 970 of 1,000 accepted (95.7% to 97.8%), 100 opened (8.5% to 12.3%); plain 0 of 0 accepted (0.0% to "
                + "100.0%)",
            "emoji：970 / 1,000 已接受（95.7% 至 97.8%），100 台打开（8.5% 至 12.3%）；plain：0 / 0 已接受（0.0% 至 100.0%）"
        ),
        (Expiration.after(.seconds(604_800)).reason, "after 7d", "发送后 7 天"),
        (
            Reason(.checkTyping), "check for a typing error; 'limits: {minAudience: 0}' allows an empty audience",
            "请检查是否写错；'limits: {minAudience: 0}' 允许受众为空"
        ),
    ]

    @Test(arguments: examples)
    func aReasonIsSaidInBothLanguages(_ reason: Reason, _ english: String, _ chinese: String) throws {
        #expect(reason.text == english && Language.english.say(reason) == english)
        #expect(Language.chinese.say(reason) == chinese)
        #expect(try Reason.form.read(Reason.form.write(reason).unordered) == reason)
    }

    /// Every kind of value, and a reason that a later version added.
    @Test func aReasonIsReadBackFromItsCodeAndValues() throws {
        let values: [Reason.Value] = [
            .text("on hold"), .count(12_345), .number(-3), .instant(Self.moment + .milliseconds(7)),
            .time(OffsetInstant(Self.moment, offset: 20_700)), .day(CivilDate(year: 2026, month: 2, day: 28)),
            .duration(.seconds(5400)), .age(seconds: 3), .reason(Reason(.onHold)), .reason(.verbatim("x")),
        ]
        for value in values {
            let reason = Reason(.notSent, value)
            #expect(try Reason.form.read(Reason.form.write(reason).unordered) == reason)
        }
        let later: JSONValue = ["text": "as never before", "code": "ofALaterVersion", "values": [["count": 3]]]
        #expect(try Reason.form.read(later) == .verbatim("as never before"))
        #expect(throws: (any Error).self) {
            try Reason.form.read(["text": "x", "code": "notSent", "values": [["x": 1]]])
        }
    }

    @Test func whoeverAsksWhetherItIsEveryoneAsksTheValue() {
        func audience(_ reason: Reason) -> PlannedAudience { PlannedAudience(devices: 3, reason) }
        #expect(audience(Audience(everyone: true).reason).isEveryone)
        #expect(audience(Audience(everyone: true, platforms: [.ios], deviceProfile: "a").reason).isEveryone)
        #expect(!audience(Audience(segments: ["everyone"]).reason).isEveryone)
        #expect(!audience(.verbatim("everyone")).isEveryone)
    }
}
