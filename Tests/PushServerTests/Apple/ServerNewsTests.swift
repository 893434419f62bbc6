import Base
import DeviceRegistry
import HTTPTesting
import Logging
import ProgramTesting
import Push
import PushReport
import RegistryTesting
import Testing

@testable import PushServer

/// What the server tells the room in its settings.
@Suite struct ServerNewsTests {
    private static func room(_ url: String) -> NotifyRoom {
        NotifyRoom(.json, address: Secret(url + "/SECRETPATH"), secret: nil, language: .english)
    }

    private static func events(_ script: Script) throws -> [(kind: String?, subject: String?)] {
        try script.seen.flatMap { try JSONValue(parsing: $0.body)["events"]?.array ?? [] }
            .map { ($0["kind"]?.string, $0["subject"]?.string) }
    }

    /// Whether so many requests come: what a busy machine does not get to the room in five seconds is never told.
    private static func come(_ count: Int, _ script: Script) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        try await eventually { script.seen.count >= count || ContinuousClock.now > end }
        return script.seen.count >= count
    }

    @Test func aFailedPushAndAnExpiringCertificateAreTold() async throws {
        for _ in 0..<20 {
            if try await Self.areBothTold() { return }
        }
        Issue.record("the room was never told in time")
    }

    private static func areBothTold() async throws -> Bool {
        var isInTime = true
        let script = Script { _ in .answer(204) }
        try await HTTPTesting.TestServer.run(.plain, script) { room in
            // Later than any run of the tests lasts.
            let soon = AppleWorld.now + .seconds(4 * 3600)
            try await AppleWorld.run(
                profiles: [AppleWorld.profile(expiresAt: soon)], allowsFaults: true,
                configure: { $0.notify = Self.room(room.url("")) }
            ) { (world) async throws in
                isInTime = try await Self.come(1, script)
                guard isInTime else { return }
                try await world.device(1)
                let time = Instant.system.advanced(bySeconds: 5 * 3600).isoText
                let taken = try await world.server.call(
                    "POST", "/push", ["where": [:], "data": ["alert": "x"], "push_time": .string(time)])
                let id = try #require(taken.body["objectId"]?.string)
                try await world.server.advance(5 * 3600 + 1)
                isInTime = try await Self.come(2, script)
                guard isInTime else { return }
                let events = try Self.events(script)
                #expect(events.map(\.kind) == ["certificate", "failed"])
                #expect(events.map(\.subject) == ["app", id])
                let body = try JSONValue(parsing: script.seen[1].body)
                #expect(
                    body["events"]?.array?.first?["reason"] == "The iOS certificate file is expired or disabled.")
            }
        }
        return isInTime
    }

    /// Tells of certificates through so many copies of the server, one after the other; gives what came and what was
    /// logged, and begins anew where a busy machine took a copy the five seconds that it has.
    private static func told(
        of expiring: [[String]], answer: @escaping @Sendable (Seen) -> Reply
    ) async throws -> (events: [(kind: String?, subject: String?)], lines: [String]) {
        for _ in 0..<20 {
            let (script, lines) = (Script(answer), LogLines())
            let handler = ServerLogHandler(level: .info, format: .text) { lines.add($0) }
            try await HTTPTesting.TestServer.run(.plain, script) { room in
                let registry = try await Registry.test()
                let clock = ServerClock(standingAt: Instant.noon)
                for names in expiring {
                    let news = try ServerNews(
                        Self.room(room.url("")), "giants", registry, clock, Logger(label: "test") { _ in handler })
                    await news.tell(
                        ofCertificates: names.map { AppleWorld.profile($0, expiresAt: clock.now + .seconds(86_400)) })
                }
            }
            if !lines.all.joined().contains("timed out") { return (try events(script), lines.all) }
        }
        Issue.record("the room was never told in time")
        return ([], [])
    }

    @Test func copiesOfTheServerTellOfACertificateOnce() async throws {
        let told = try await Self.told(of: [["a"], ["a", "b"], ["a", "b"]]) { _ in .answer(204) }
        #expect(told.events.map(\.subject) == ["a", "b"])
        #expect(told.events.map(\.kind) == ["certificate", "certificate"])
        #expect(told.lines.isEmpty, "\(told.lines)")
    }

    @Test func aRoomThatFailsIsAWarningWithoutItsAddress() async throws {
        let told = try await Self.told(of: [["app"]]) { seen in .answer(500, body: Array(seen.path.utf8)) }
        let lines = told.lines
        #expect(lines.count == 1 && lines[0].contains("notify: json answered 500"), "\(lines)")
        #expect(!lines.joined().contains("SECRETPATH"))
    }

    @Test(arguments: [
        ("notify: {address: {env: HOOK}}", Setting.notifyAddress, "needs 'notify.to'"),
        ("notify: {to: slack}", .notifyTo, "needs 'notify.address'"),
        ("notify: {to: slack, address: {env: HOOK}, secret: {env: HOOK}}", .notifySecret, "does not go with 'slack'"),
        ("notify: {to: slack, address: {env: GONE}}", .notifyAddress, "'GONE', which is not set"),
    ])
    func whatIsMissingOfARoomIsSaid(_ text: String, _ setting: Setting, _ message: String) {
        let settings = SettingsFile(Array(text.utf8), file: "etc/server.yaml").settings
        let problem = #expect(throws: NotifyProblem.self) { try settings.room(in: ["HOOK": "https://SECRETPATH"]) }
        #expect(problem?.setting == setting && problem?.message.contains(message) == true, "\(problem?.message ?? "")")
        #expect(problem?.message.contains("SECRETPATH") == false)
    }
}
