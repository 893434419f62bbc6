import Base
import DeliveryTesting
import DeviceRegistry
import Foundation
import Push
import Synchronization
import Testing

@testable import Delivery

/// Deliveries in several languages, and with values of devices in their texts, over a registry's file.
@Suite struct WordTests {
    private static func payload(_ body: String) -> JSONValue {
        ["aps": ["alert": ["title": "t", "body": .string(body)]]]
    }

    private static func job(_ site: Site, _ change: (inout DeliveryOrder) -> Void = { _ in }) -> DeliveryJob {
        var job = site.job()
        job.order.payload = payload("Hello {{firstName|there}}")
        job.order.isPersonal = true
        job.order.languages = DeliveryOrder.Languages(
            field: "language",
            payloads: [
                .init(name: "ar", payload: payload("\u{645}\u{631}\u{62D}\u{628}\u{627}")),
                .init(name: "zh-Hans", payload: payload("{{firstName|您}}好 {{points|0}}")),
            ])
        change(&job.order)
        return job
    }

    /// Values as other people's apps write them.
    private static let values: [JSONValue] = [
        "Anna", "<b>&amp;", "**bold** [x](y)", "\u{1B}[31mred", "\u{202E}abc", "{{firstName|x}}", "\"}", "\\", " ", 12,
        2.5,
        true, .null, ["a"], ["a": 1],
    ]

    private static func register(_ site: Site) async throws -> [String: String] {
        var expected: [String: String] = [:]
        let languages: [JSONValue] = ["en-US", "zh_CN", "zh-TW", "ar-EG", 7, ""]
        for (index, value) in values.enumerated() {
            for (place, language) in languages.enumerated() {
                let token = String(0xA000 + index * 16 + place, radix: 16)
                _ = try await site.registry.create(
                    [
                        "deviceType": "ios", "deviceToken": .string(token), "deviceProfile": "app", "firstName": value,
                        "language": language, "points": .integer(Int64(index)),
                    ], in: .installation, as: .master, at: site.clock.now)
                let name = PersonalValue.words(of: value)
                expected[token] =
                    switch place {
                    case 1: (name ?? "您") + "好 \(index)"
                    case 3: "\u{645}\u{631}\u{62D}\u{628}\u{627}"
                    default: "Hello " + (name ?? "there")
                    }
            }
        }
        return expected
    }

    @Test func eachDeviceReadsItsLanguageAndItsOwnValuesAreData() async throws {
        let site = try Site()
        let expected = try await Self.register(site)
        let figures = try #require(try await site.run("one", Life(), Self.job(site)).figures)
        #expect(figures.accepted == expected.count && figures.leftOut.isEmpty)
        #expect(try site.apple.texts == expected)
    }

    @Test func aBadgeAndAValueStandSideBySide() async throws {
        let site = try Site()
        let expected = try await Self.register(site)
        _ = try await site.run("one", Life(), Self.job(site) { $0.countsBadge = true })
        #expect(try site.apple.texts == expected)
        for token in expected.keys { #expect(site.apple.with { $0.badge(of: token) } == 1) }
    }

    @Test func aDeviceThatIsRetriedReadsTheSame() async throws {
        let site = try Site(FakeApple { _, request in request % 3 == 0 ? .neverSent : .accept })
        let expected = try await Self.register(site)
        let job = Self.job(site)
        // What a device says of itself later changes nothing.
        for round in 0..<40 {
            let ending = try await site.run("run\(round)", Life(acts: 30), job)
            if case .ended = ending { break }
            if round == 0 {
                for (index, token) in expected.keys.sorted().enumerated() where index % 2 == 0 {
                    _ = try await site.registry.create(
                        ["deviceType": "ios", "deviceToken": .string(token), "firstName": "Zoe", "language": "ar"],
                        in: .installation, as: .master, at: site.clock.now)
                }
            }
            site.clock.advance(.seconds(300))
        }
        let (texts, received) = (try site.apple.texts, site.apple.received)
        #expect(!texts.isEmpty && received.values.allSatisfy { $0 == 1 })
        for (token, text) in texts { #expect(text == expected[token]) }
    }

    @Test(arguments: [true, false])
    func onlyTheAlertAndTheAppsOwnKeysHavePlacesForValues(_ countsBadge: Bool) throws {
        var order = Self.job(try Site()).order
        let text: JSONValue = "{{firstName|x}}"
        order.countsBadge = countsBadge
        order.payload = [
            "aps": ["alert": text, "content-state": ["a": text], "category": text], "b": ["c": [text, 1]],
        ]
        let route = try #require(order.routes.first)
        let body = order.notification(for: route, startingAt: FakeClock.start).body
        let target = JournalTarget(token: "ab", badge: 3, texts: ["Anna", "Bo"])
        let sent = try JSONValue(parsing: body.filled(with: order.fillings(target)))
        var expected: JSONValue = [
            "aps": ["alert": "Anna", "content-state": ["a": text], "category": text], "b": ["c": ["Bo", 1]],
        ]
        if countsBadge { expected["aps"]?["badge"] = 3 }
        #expect(sent == expected)
    }

    @Test func aCountedBadgeIsSentWithoutAnythingElseForTheSystem() throws {
        var order = Self.job(try Site()).order
        (order.countsBadge, order.payload) = (true, ["b": "{{firstName|x}}"])
        let body = order.notification(for: try #require(order.routes.first), startingAt: FakeClock.start).body
        let target = JournalTarget(token: "ab", badge: 3, texts: ["Anna"])
        let sent = try JSONValue(parsing: body.filled(with: order.fillings(target)))
        #expect(sent == ["aps": ["badge": 3], "b": "Anna"])
    }

    @Test(
        arguments: [
            { $0.isPersonal = false }, { $0.languages = DeliveryOrder.Languages() },
            { $0.payload = payload("Hello {{firstName|there}} {{points|0}}") },
        ] as [@Sendable (inout DeliveryOrder) -> Void])
    func whatWasFrozenForOtherWordsIsNotSent(_ change: @Sendable (inout DeliveryOrder) -> Void) async throws {
        let isReachable = Atomic(false)
        let site = try Site(FakeApple { _, _ in isReachable.load(ordering: .relaxed) ? .accept : .neverSent })
        let expected = try await Self.register(site)
        _ = try await site.run("one", Life(), Self.job(site))
        isReachable.store(true, ordering: .relaxed)
        site.clock.advance(.seconds(3600))
        let ending = try await site.run("two", Life(), Self.job(site, change))
        // Batches of forms that have the same words still may be sent before.
        switch ending {
        case .nothingSent(let stop), .interrupted(let stop):
            #expect(stop == .mismatch("it has texts for other words"))
        case .ended(let figures): Issue.record("\(figures)")
        }
        let texts = try site.apple.texts
        #expect(texts.count < expected.count)
        for (token, text) in texts { #expect(text == expected[token]) }
    }

    @Test func aPayloadThatDoesNotFitWithADevicesValueIsLeftOutAndCounted() async throws {
        let site = try Site()
        for (token, length) in [("aa", 10), ("bb", 4000), ("cc", 10_000)] {
            _ = try await site.registry.create(
                [
                    "deviceType": "ios", "deviceToken": .string(token), "deviceProfile": "app",
                    "firstName": .string(String(repeating: "x", count: length)),
                ], in: .installation, as: .master, at: site.clock.now)
        }
        let job = Self.job(site)
        let audience = try #require(job.freeze?.audience)
        let breakdown = try await site.store.explain(audience, at: site.clock.now)
        #expect(breakdown.devices == 2 && breakdown.leftOut == [.tooLarge: 1])
        #expect(breakdown.words?.values == ["firstName": 2, "points": 0])
        #expect(breakdown.words?.fallback == 2 && breakdown.words?.languages.values.sorted() == [0, 0])
        let figures = try #require(try await site.run("one", Life(), job).figures)
        #expect(figures.accepted == 2 && figures.leftOut == [.tooLarge: 1])
        let sizes = site.apple.with { $0.bodies.mapValues(\.count) }
        #expect(sizes["bb"] == breakdown.words?.largest)
    }
}
