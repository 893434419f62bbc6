import Base
import BaseTesting
import Foundation
import FoundationNetworking
import HTTPTesting
import ProgramTesting
import PushServer
import Synchronization
import Testing

/// `bugle run` against a server: it sends what is due, tells how it fares, and ends with a signal.
@Suite struct RunCommandTests {
    private static let daily = """
        kind: Campaign
        name: daily
        audience: {channels: [Giants]}
        message: {body: daily}
        schedule: {every: day, at: "12:00", timeZone: UTC, until: 2027-03-01}
        expiration: {after: 1h}

        """

    /// What a run of the program has asked of the server so far.
    private final class Seen: Sendable {
        private let state = Mutex((pushes: 0, looks: 0))

        func push() { state.withLock { $0.pushes += 1 } }

        /// The number of looks at the ledger since the push.
        func look() -> Int {
            state.withLock { state in
                if state.pushes > 0 { state.looks += 1 }
                return state.looks
            }
        }

        var pushes: Int { state.withLock { $0.pushes } }
    }

    private static func text(_ url: String) async throws -> (status: Int, body: String) {
        let (data, response) = try await answered(URLRequest(url: try #require(URL(string: url))))
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    @Test func itSendsADayOnceAndEndsWithTheSignal() async throws {
        try await World.run(["a.yaml": .giants, "daily.yaml": Self.daily, "now.yaml": .campaign("now")]) { world in
            try await world.devices(2)
            let (seen, rounds) = (Seen(), Gate())
            world.onRequest { request, instant in
                guard instant == .beforeHandling else { return }
                if request.path == "/1.1/push" { seen.push() }
                // A round with something due looks twice and more.
                if request.path == "/1.1/classes/BugleLedger", request.method == "GET", seen.look() == 12 {
                    rounds.open()
                }
            }
            let log = world.path("run.log")
            let program = try await BackgroundProgram.start(
                "bugle", ["run", "-C", world.folder.path, "--every", "1s", "--listen", "127.0.0.1:0"],
                environment: ["BUGLE_SERVER_KEY": World.masterKey], lines: 0, errors: log)
            await rounds.pass()
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                .map { try JSONValue(parsing: String($0)) }
            #expect(lines.first?["message"] == "running")
            let sent = try #require(lines.first { $0["action"] == "send" })
            #expect(sent["outcome"] == "done" && sent["occurrence"] == "2026-11-21" && sent["campaign"] == "daily")
            let port = try #require(lines.first?["port"]?.integer)
            let health = try await Self.text("http://127.0.0.1:\(port)/health")
            #expect(health.status == 200 && health.body.contains("\"status\":\"ok\""))
            let metrics = try await Self.text("http://127.0.0.1:\(port)/metrics")
            #expect(metrics.body.contains("\nbugle_run_changes_total{outcome=\"done\"} 1\n"))
            #expect(try await Self.text("http://127.0.0.1:\(port)/").status == 404)
            program.send(SIGTERM)
            #expect(try await program.ending == .exited(0))
            #expect(seen.pushes == 1)
            #expect(try await world.inbox("d0") == ["daily": 1], "what is not due waits for an apply")
            let status = try await world.bugle("status")
            #expect(status.output.contains("2026-11-21"), "\(status.everything)")
        }
    }

    @Test func aStopOfEverythingFromAnotherMachineHoldsUntilItIsLifted() async throws {
        try await World.run(["a.yaml": .giants, "daily.yaml": Self.daily]) { world in
            try await world.devices(2)
            let stop = try await world.bugle("stop", "--all", "--reason", "wrong link")
            #expect(stop.status == 0, "\(stop.everything)")
            let (seen, rounds, sent) = (Seen(), Gate(), Gate())
            let looks = Counter()
            world.onRequest { request, instant in
                guard instant == .beforeHandling else { return }
                if request.path == "/1.1/push" { seen.push() }
                guard request.path.hasPrefix("/1.1/classes/BugleStop"), request.method == "GET" else { return }
                // Each round asks for the order.
                if looks.next() == 4 { rounds.open() }
                if seen.look() == 4 { sent.open() }
            }
            let log = world.path("run.log")
            // It has the workspace and the key only, as on another machine.
            let program = try await BackgroundProgram.start(
                "bugle", ["run", "-C", world.folder.path, "--every", "1s"],
                environment: ["BUGLE_SERVER_KEY": World.masterKey], lines: 0, errors: log)
            await rounds.pass()
            #expect(seen.pushes == 0)
            let lift = try await world.bugle("stop", "--lift")
            #expect(lift.status == 0, "\(lift.everything)")
            await sent.pass()
            program.send(SIGTERM)
            #expect(try await program.ending == .exited(0))
            #expect(seen.pushes == 1)
            #expect(try String(contentsOfFile: log, encoding: .utf8).contains("wrong link"))
        }
    }

    @Test func whatCannotBeUsedAtTheStartEndsItAtOnce() async throws {
        try await World.run(["a.yaml": .giants, "broken.yaml": "kind: [\n"]) { world in
            let run = try await world.bugle("run", "--every", "1s")
            #expect(run.status == 3, "\(run.everything)")
            try world.remove("broken.yaml")
            #expect(try await world.bugle("run", "--listen", "nowhere").status == 64)
        }
    }
}
