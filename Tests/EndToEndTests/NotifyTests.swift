import Base
import Foundation
import HTTPTesting
import ProgramTesting
import PushServer
import Synchronization
import Testing

/// The program tells rooms: each service's answers, rooms that fail in every way, kills, and a timer's runner.
@Suite struct NotifyTests {
    private static let secrets = ["SECRETPATH", "SECRETTOKEN", "SECRETKEY"]
    private static let files = ["a.yaml": String.giants, "score.yaml": .campaign("score")]

    /// A room's answer that says it was told.
    private static let told: @Sendable (Seen) -> Reply = { seen in
        seen.path.contains("slack")
            ? .answer(200, body: Array("ok".utf8)) : .answer(200, body: Array(#"{"errcode":0,"code":0}"#.utf8))
    }

    /// Adds `notify` to the world's workspace.
    private static func notify(_ world: World, _ targets: String) throws {
        let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
        try world.write("bugle.yaml", text + "\nnotify:\n" + targets + "\n")
    }

    private static func environment(_ url: String) -> [String: String] {
        [
            "HOOK": url + "/SECRETPATH/slack?access_token=SECRETTOKEN",
            "OTHER": url + "/SECRETPATH/json?access_token=SECRETTOKEN", "SIGN": "SECRETKEY",
        ]
    }

    private static func expectNoSecret(_ run: Run, _ place: SourceLocation = #_sourceLocation) {
        for secret in secrets { #expect(!run.everything.contains(secret), "\(run.everything)", sourceLocation: place) }
    }

    /// Runs a test again, in another world, while the machine takes longer than the five seconds that an apply has for
    /// its rooms; `test` says whether it was in time.
    private static func inTime(_ test: () async throws -> Bool) async throws {
        for _ in 0..<50 {
            if try await test() { return }
        }
        Issue.record("no room was ever told in time")
    }

    /// Whether an apply gave up on a room because its time was over.
    private static func wasLate(_ run: Run) -> Bool { run.errors.contains("timed out") }

    @Test func everyServiceIsToldOnceAfterThePush() async throws {
        try await Self.inTime { try await Self.everyServiceIsTold() }
    }

    private static func everyServiceIsTold() async throws -> Bool {
        var isInTime = true
        try await World.run(Self.files) { world in
            try await world.devices(2)
            try Self.notify(
                world,
                """
                  - to: {slack: {env: HOOK}}
                  - {to: {feishu: {env: OTHER}, secret: {env: SIGN}}, language: zh-Hans, text: true}
                  - to: {dingtalk: {env: OTHER}, secret: {env: SIGN}}
                  - to: {wecom: {env: OTHER}}
                  - to: {json: {env: OTHER}, secret: {env: SIGN}}
                  - {to: {slack: {env: HOOK}}, on: [failed]}
                """)
            let pushed = Mutex(false)
            world.onRequest { request, instant in
                if request.path == "/1.1/push", instant == .beforeAnswering { pushed.withLock { $0 = true } }
            }
            let script = Script { seen in
                pushed.withLock { #expect($0) }
                return Self.told(seen)
            }
            try await TestServer.run(.plain, script) { room in
                var environment = Self.environment(room.url(""))
                environment["GITHUB_SERVER_URL"] = "https://github.example"
                environment["GITHUB_REPOSITORY"] = "giants/push"
                (environment["GITHUB_RUN_ID"], environment["GITHUB_RUN_NUMBER"]) = ("77", "812")
                let doctor = try await world.bugle(["doctor"], environment: environment)
                #expect(
                    doctor.output.contains("notify 2: feishu has its address and its secret"), "\(doctor.everything)")
                Self.expectNoSecret(doctor)
                #expect(script.seen.isEmpty)
                let run = try await world.bugle(["apply", "--auto-approve", "-v"], environment: environment)
                isInTime = !Self.wasLate(run)
                guard isInTime else { return }
                #expect(run.status == 0 && !run.errors.contains("notify"), "\(run.everything)")
                Self.expectNoSecret(run)
                let bodies = try script.seen.map { try JSONValue(parsing: $0.body) }
                #expect(bodies.count == 5)
                #expect(
                    script.seen.allSatisfy {
                        $0.method == "POST" && $0.headers["content-type"]?.hasPrefix("application/json") == true
                    })
                let card = try #require(bodies.first { $0["msg_type"] == "interactive" })
                let content = try #require(card["card"]?["elements"]?.array?.first?["text"]?["content"]?.string)
                #expect(
                    content.contains("score@1") && content.contains("“score”") && content.contains("已发送"), "\(content)")
                let page: JSONValue = "https://github.example/giants/push/actions/runs/77"
                let buttons = card["card"]?["elements"]?.array?.last?["actions"]?.array ?? []
                #expect(buttons.contains { $0["url"] == page })
                let events = bodies.compactMap { $0["events"]?.array }.first
                let event = try #require(events?.first)
                #expect(event["kind"] == "sent" && event["subject"] == "score@1" && event["simulated"] == 2)
                #expect(event["text"] == nil)
                for again in 0..<2 {
                    let run = try await world.bugle(["apply", "--auto-approve"], environment: environment)
                    #expect(run.status == 0 && script.seen.count == 5, "run \(again): \(run.everything)")
                }
            }
        }
        return isInTime
    }

    /// Whatever the room does, the push is made, the exit code is the same, and the failure is one warning.
    @Test(arguments: [
        ("dead", "was not reached"), ("slow", "timed out"), ("lying", "answered 200, but not 'ok'"),
        ("redirecting", "redirects (302)"), ("failing", "answered 500"), ("closing", "may not have got it"),
        ("echoing", "answered 400"), ("missing", "the environment variable HOOK is not set"),
    ])
    func aRoomThatFailsIsAWarning(_ way: String, _ warning: String) async throws {
        try await Self.inTime { try await Self.aRoomFails(way, warning) }
    }

    private static func aRoomFails(_ way: String, _ warning: String) async throws -> Bool {
        var isInTime = true
        try await World.run(Self.files) { world in
            try await world.devices(1)
            try Self.notify(world, "  - to: {slack: {env: HOOK}}")
            let script = Script { seen in
                switch way {
                case "slow": .hold
                case "lying": .answer(200, body: Array(#"{"ok":false}"#.utf8))
                case "redirecting": .answer(302, headers: [("location", "/elsewhere")])
                case "failing": .answer(500)
                case "echoing": .answer(400, body: Array(seen.path.utf8))
                default: .close
                }
            }
            try await TestServer.run(.plain, script) { room in
                try await DeafPort.with { port in
                    var environment = Self.environment(way == "dead" ? "http://127.0.0.1:\(port)" : room.url(""))
                    if way == "missing" { environment["HOOK"] = nil }
                    let run = try await world.bugle(["apply", "--auto-approve", "-v"], environment: environment)
                    isInTime = way == "slow" ? !script.seen.isEmpty : !Self.wasLate(run)
                    guard isInTime else { return }
                    #expect(run.status == 0, "\(run.everything)")
                    let warnings = run.errors.split(separator: "\n").filter { $0.contains("notify") }
                    #expect(
                        warnings.count == 1 && warnings[0].hasPrefix("bugle: warning: notify: slack "), "\(warnings)")
                    #expect(warnings.first?.contains(warning) == true, "\(warnings)")
                    Self.expectNoSecret(run)
                    #expect(try await world.inbox("d0") == ["score": 1])
                    #expect(!script.seen.contains { $0.path == "/elsewhere" })
                    // So often as five seconds allow.
                    let tries = ["dead": 0...0, "missing": 0...0, "failing": 1...3][way, default: 1...1]
                    #expect(tries.contains(script.seen.count))
                    // It was recorded before anybody was told: nobody is told later.
                    let again = try await world.bugle(["apply", "--auto-approve"], environment: environment)
                    #expect(again.status == 0 && !again.errors.contains("notify"), "\(again.everything)")
                }
            }
        }
        return isInTime
    }

    @Test func aHostThatIsNotTrustedIsNotTold() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            try Self.notify(world, "  - to: {slack: {env: HOOK}}")
            let script = Script(Self.told)
            try await TestServer.run(.plain, script) { room in
                var environment = Self.environment(room.url(""))
                environment["BUGLE_TRUSTED_HOSTS"] = "127.0.0.1:\(world.port)"
                let warning = "slack leads to a host that BUGLE_TRUSTED_HOSTS does not list"
                let doctor = try await world.bugle(["doctor"], environment: environment)
                #expect(doctor.output.contains("notify 1: " + warning), "\(doctor.everything)")
                let run = try await world.bugle(["apply", "--auto-approve"], environment: environment)
                #expect(run.status == 0 && run.errors.contains(warning), "\(run.everything)")
                Self.expectNoSecret(run)
                #expect(script.seen.isEmpty && script.connections == 0)
            }
        }
    }

    @Test func aKillWhileItTellsTellsNothingTwice() async throws {
        try await Self.inTime { try await Self.isKilledWhileItTells() }
    }

    private static func isKilledWhileItTells() async throws -> Bool {
        var isInTime = true
        try await World.run(Self.files) { world in
            try await world.devices(1)
            try Self.notify(world, "  - to: {slack: {env: HOOK}}")
            let script = Script { $0.path.contains("hold") ? .hold : Self.told($0) }
            try await TestServer.run(.plain, script) { room in
                let (process, isOver) = (Promise<Int32>(), Flag())
                func ended(_ run: Run) -> Run {
                    isOver.raise()
                    return run
                }
                async let killed = ended(
                    try await world.bugle(
                        ["apply", "--auto-approve"], environment: ["HOOK": room.url("/hold")], started: process.fulfil))
                try await eventually { !script.seen.isEmpty || isOver.isRaised }
                // A machine that stands still for five seconds lets it give up before.
                isInTime = !script.seen.isEmpty
                let id = await process.value
                if !isOver.isRaised { kill(id, SIGKILL) }
                _ = try await killed
                guard isInTime else { return }
                let again = try await world.bugle(
                    ["apply", "--auto-approve"], environment: ["HOOK": room.url("/slack")])
                #expect(again.status == 0, "\(again.everything)")
                #expect(script.seen.count == 1)
                #expect(try await world.inbox("d0") == ["score": 1])
            }
        }
        return isInTime
    }

    /// Straight to Apple: the registry keeps what was told.
    @Test func aDirectRemoteTellsOnceAfterTheLastDevice() async throws {
        try await Self.inTime { try await Self.aDirectRemoteTells() }
    }

    private static func aDirectRemoteTells() async throws -> Bool {
        var isInTime = true
        let script = Script(Self.told)
        try await TestServer.run(.plain, script) { room in
            try await AppleWorld.run(Self.files, variables: ["HOOK": room.url("/slack")], devices: 25) { world in
                try world.write(
                    "bugle.yaml", world.workspace() + "notify:\n  - {to: {slack: {env: HOOK}}, text: true}\n")
                isInTime = !Self.wasLate(try await world.apply())
                guard isInTime else { return }
                try await world.apply()
                #expect(try await world.received() == (25, 25, 0))
                #expect(script.seen.count == 1)
                let text = try JSONValue(parsing: script.seen[0].body)["text"]?.string ?? ""
                #expect(text.contains("score@1: sent, 25 devices: 25 accepted, 0 refused “score”"), "\(text)")
            }
        }
        return isInTime
    }

    /// What the service has sent since is told by the runner, once.
    @Test func theRunnerTellsWhatIsUntold() async throws {
        try await Self.inTime { try await Self.theRunnerTells() }
    }

    private static func theRunnerTells() async throws -> Bool {
        var isInTime = true
        let later = String.campaign("later", more: "schedule: {at: 2026-11-21T13:00:00Z}\nexpiration: {after: 7d}")
        try await World.run(["a.yaml": .giants, "later.yaml": later]) { world in
            try await world.devices(1)
            try Self.notify(world, "  - to: {slack: {env: HOOK}}")
            let script = Script(Self.told)
            try await TestServer.run(.plain, script) { room in
                let environment = ["BUGLE_SERVER_KEY": World.masterKey, "HOOK": room.url("/slack")]
                let scheduled = try await world.bugle(["apply", "--auto-approve"], environment: environment)
                #expect(scheduled.status == 0 && script.seen.isEmpty, "\(scheduled.everything)")
                world.advance(.seconds(2 * 3600))
                let rounds = Gate()
                let looks = Mutex(0)
                world.onRequest { request, instant in
                    guard request.path == "/1.1/classes/BugleLedger", instant == .beforeHandling else { return }
                    let count = looks.withLock { looks in
                        looks += 1
                        return looks
                    }
                    // Several rounds after the one that tells.
                    if count == 12 { rounds.open() }
                }
                let log = world.path("run.log")
                let runner = try await BackgroundProgram.start(
                    "bugle", ["run", "-C", world.folder.path, "--every", "1s"], environment: environment, lines: 0,
                    errors: log)
                try await eventually {
                    try !script.seen.isEmpty || String(contentsOfFile: log, encoding: .utf8).contains("timed out")
                }
                isInTime = !script.seen.isEmpty
                await rounds.pass()
                runner.send(SIGTERM)
                #expect(try await runner.ending == .exited(0))
                guard isInTime else { return }
                #expect(script.seen.count == 1)
                let text = try JSONValue(parsing: script.seen[0].body)["text"]?.string
                #expect(text?.contains("later@1: sent") == true, "\(text ?? "")")
            }
        }
        return isInTime
    }
}
