internal import Base
internal import FoundationEssentials
internal import ProgramTesting
internal import Testing

@testable internal import Push
@testable internal import PushReport

/// What each service is sent, byte for byte.
@Suite struct NotifyMessageTests {
    static let now = Instant(seconds: 1_795_176_000)
    static let secret = Secret("SEC-5f0b")

    static func entry(
        _ campaign: String, _ state: DeliveryState, _ figures: DeliveryFigures? = nil, reason: Reason? = nil
    ) -> LedgerEntry {
        let id = DeliveryID(workspace: "giants", campaign: campaign, revision: 1)
        var entry = LedgerEntry(
            delivery: id, generation: 0, notificationID: id, workspace: "giants", campaign: campaign, revision: 1,
            state: state, request: nil, fingerprint: Digest(of: []), content: Digest(of: []), encoder: 1,
            intendedAt: now, window: .zero, fence: 1,
            provenance: Provenance(commit: String(repeating: "c0ff", count: 10), run: "github run 812"))
        (entry.figures, entry.reason, entry.told) = (figures, reason, [])
        return entry
    }

    /// One event of every kind, but for a stop.
    static var events: [NotifyEvent] {
        let verdict = StageVerdict(
            stage: 2, decision: .halt, at: now, answers: StageVerdict.Answers(accepted: 3),
            rule: Reason(.tooFewAnswers, .count(3), .count(10)))
        let entries = [
            entry("score", .sent, DeliveryFigures(devices: 12_345, successes: 12_300, invalidTokens: 5, inDoubt: 3)),
            entry("news", .refused, reason: .verbatim("dev profile disabled for massive push")),
            entry("lost", .unknown, reason: .verbatim("no answer")),
            entry(
                "derby", .halted,
                DeliveryFigures(devices: 100, successes: 0, invalidTokens: 0, verdicts: [verdict]),
                reason: Reason(.stage, .number(2), .reason(verdict.rule))),
        ]
        var plan = ReportFixtures.plan([
            Change(
                kind: .campaign, name: "sale", action: .send, reason: Reason(.notDelivered),
                delivery: ReportFixtures.delivery(),
                blocked: [Block(.approvals, .verbatim("needs 2 approvals, has none"))])
        ])
        plan.certificates = [
            PlannedCertificate(
                name: "driver", environment: .production, topic: "com.example.driver",
                expiresAt: now + .seconds(10 * 86_400), campaigns: ["score"])
        ]
        return entries.flatMap { $0.untold(at: now) } + plan.waiting(Policy())
    }

    static let message = NotifyMessage(
        workspace: "giants", remote: "production", events: events,
        links: [
            NotifyMessage.Link("abc1234", PageLink("https://github.com/giants/push/commit/abc1234")),
            NotifyMessage.Link("github run 812", nil),
        ])

    @Test(arguments: NotifyService.allCases, Language.allCases)
    func everyServiceGetsItsBody(_ service: NotifyService, _ language: Language) throws {
        let request = Self.message.request(
            to: service, in: language, at: Self.now, signedWith: service.isSigned ? Self.secret : nil)
        let body = try JSONValue(parsing: request.body)
        let text = [
            request.query, request.signature ?? "",
            service == .json ? String(decoding: request.body, as: UTF8.self) : body.prettyText,
        ]
        .filter { !$0.isEmpty }.joined(separator: "\n")
        try expectGolden(text.hasSuffix("\n") ? text : text + "\n", "\(service.rawValue).\(language.rawValue).json")
    }

    /// Computed by another program, as the services' guides say.
    @Test func signaturesAreThoseOfTheGuides() throws {
        let message = NotifyMessage(workspace: "w", remote: "r", events: Array(Self.events.prefix(1)))
        let dingtalk = message.request(to: .dingtalk, in: .english, at: Self.now, signedWith: Self.secret)
        #expect(dingtalk.query == "&timestamp=1795176000000&sign=gbg9Vhr1IhojoZlpbKjWIC8XrDUlVWdVAmxapTRvaKA%3D")
        let feishu = message.request(to: .feishu, in: .english, at: Self.now, signedWith: Self.secret)
        let body = try JSONValue(parsing: feishu.body)
        #expect(body["timestamp"] == "1795176000")
        #expect(body["sign"] == "H3tQL3dcTeAAs6kq9MTjkyeCZGWalX8E1PzGFFlviNc=")
        for service in NotifyService.allCases {
            let request = message.request(to: service, in: .english, at: Self.now, signedWith: nil)
            #expect(request.query.isEmpty && request.signature == nil)
            #expect(!String(decoding: request.body, as: UTF8.self).contains("sign"))
        }
    }

    @Test(arguments: NotifyService.allCases)
    func aMessageOfAnyLengthFits(_ service: NotifyService) throws {
        let long = (0..<60).map { number -> NotifyEvent in
            var event = Self.entry("c\(number)", .refused, reason: .verbatim(String(repeating: "推送&<", count: 100)))
                .untold(at: Self.now)[0]
            event.text = String(repeating: "文", count: 1000)
            return event
        }
        let page = PageLink("https://forge.example.com/" + String(repeating: "x", count: 250))
        for events in [long, Array(long.prefix(1))] {
            let message = NotifyMessage(
                workspace: String(repeating: "w", count: 63), remote: String(repeating: "r", count: 32), events: events,
                links: [NotifyMessage.Link(String(repeating: "c", count: 90), page), NotifyMessage.Link("run", page)])
            for language in Language.allCases {
                let request = message.request(to: service, in: language, at: Self.now, signedWith: Self.secret)
                let body = try JSONValue(parsing: request.body)
                switch service {
                case .wecom:
                    let content = try #require(body["markdown"]?["content"]?.string)
                    #expect(content.utf8.count <= 4096)
                    #expect(content.contains("c0") && content.contains("https://forge"))
                    #expect(events.count == 1 || content.contains("… "))
                case .feishu, .dingtalk: #expect(request.body.count <= 20_000)
                case .slack: #expect(try #require(body["text"]?.string).utf8.count <= 4096)
                case .json: #expect(body["events"]?.array?.count == events.count)
                }
            }
        }
    }

    /// Whatever a service or a person wrote mentions nobody and links nowhere, and stands on one line.
    @Test(arguments: [
        "<at user_id=\"all\">all</at>", "<!channel>", "<@U1> <!here|x>", "[pay here](https://evil.example)",
        "![x](https://evil.example/x.png)", "<https://evil.example|bank>", "<@all>", "@all @所有人", "**bold** `code`",
        "a\n# b\u{202E}c\u{1B}[31m", "[\u{301}x\u{301}](https://evil.example)", "<\u{338}!channel>",
    ])
    func hostileTextIsInert(_ hostile: String) throws {
        var event = Self.entry("score", .refused, reason: .verbatim(hostile)).untold(at: Self.now)[0]
        event.text = hostile
        let message = NotifyMessage(
            workspace: "giants", remote: "production", events: [event], links: [NotifyMessage.Link(hostile, nil)])
        for service in NotifyService.allCases where service != .json {
            let body = try JSONValue(
                parsing: message.request(to: service, in: .english, at: Self.now, signedWith: nil).body)
            for text in body.texts {
                let scalars = text.unicodeScalars
                #expect(!scalars.contains { $0.value == 0x1B || $0.value == 0x202E })
                #expect(text.split(separator: "\n", omittingEmptySubsequences: true).count <= 3, "\(text)")
                switch service {
                case .slack: #expect(!scalars.contains("<") && !scalars.contains(">"))
                case .dingtalk, .wecom: #expect(!scalars.contains { "[]<>`".unicodeScalars.contains($0) }, "\(text)")
                case .feishu, .json: break
                }
            }
            // Feishu reads tags in no text of these kinds.
            if service == .feishu { #expect(body.tags.isSubset(of: ["div", "plain_text"])) }
            if service == .dingtalk { #expect(body["at"] == ["isAtAll": false]) }
        }
    }

    @Test func aTextIsToldOnlyToThoseWhoAskForIt() throws {
        var event = Self.events[0]
        event.text = "It's now 2-2."
        let message = NotifyMessage(workspace: "giants", remote: "production", events: [event, Self.events[2]])
        let with = try #require(message.asked(for: [.sent], withText: true))
        #expect(with.events.map(\.text) == ["It's now 2-2."])
        #expect(message.asked(for: [.sent], withText: false)?.events.map(\.text) == [nil])
        #expect(message.asked(for: [.failed], withText: false)?.events.map(\.kind) == [.failed])
        #expect(message.asked(for: [.stage, .stopped], withText: true) == nil)
    }
}

extension JSONValue {
    /// All its strings.
    fileprivate var texts: [String] {
        if let string { return [string] }
        return (array ?? []).flatMap(\.texts) + (object.map { $0.map(\.value) } ?? []).flatMap(\.texts)
    }

    /// The kinds of elements of a card.
    fileprivate var tags: Set<String> {
        let own = self["tag"]?.string.map { Set([$0]) } ?? []
        let inner = (array ?? []) + (object.map { $0.map(\.value) } ?? [])
        return inner.reduce(into: own) { $0.formUnion($1.tags) }
    }
}
