import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import PushServer
import RegistryTesting
import Synchronization
import Testing

/// A process to be killed, once, in the middle of what it does.
private final class Victim: Sendable {
    private let id = ProgramTesting.Promise<Int32>()
    private let isKilled = Atomic(false)

    func isRunning(as id: Int32) { self.id.fulfil(id) }

    /// Returns when it is killed: what waits for an answer until then cannot have ended before its id was known.
    func kill() async {
        let id = await id.value
        // Another process may get the id.
        if !isKilled.exchange(true, ordering: .relaxed) { _ = Foundation.kill(id, SIGKILL) }
    }
}

@Suite struct TransferProgramTests {
    private static let masterKey = "master-key-9f8e7d6c5b4a"

    /// Runs a test against a live app with devices and a ledger; `observe` is told of each request's number,
    /// which waits for it.
    private func withApp(
        devices count: Int, observe: @escaping @Sendable (Int) async -> Void = { _ in },
        _ test: (_ url: String, _ registry: Registry) async throws -> Void
    ) async throws {
        try await TestServer.run(
            allowsFaults: false,
            observer: { request, instant in
                if instant == .beforeHandling { await observe(request.number) }
            },
            configure: { $0.masterKey = ServerKey(Self.masterKey) }
        ) { (server) async throws in
            let registry = server.registry
            let objects = try (0..<count).map { try TransferredObject(try #require(device($0, ["ACL": [:]]).object)) }
            _ = try await registry.transfer(objects, into: .installation)
            _ = try await registry.create(
                [
                    "workspace": "giants", "state": "scheduled", "scheduledAt": "9999-12-31T00:00:00.000Z", "ACL": [:],
                ], in: .ledger, as: .master, at: .noon)
            _ = try await registry.create(
                ["workspace": "giants"], in: try ClassName("BugleLock"), as: .master, at: .noon)
            try await test("http://127.0.0.1:\(server.port)", registry)
        }
    }

    private func pull(
        _ url: String, _ data: URL, _ more: [String] = [], key: String = masterKey,
        started: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await Program.run(
            ["pull", "--from", url, "--app-id", "giants", "--data", data.path, "--page-size", "10"] + more,
            environment: ["LEANCLOUD_MASTER_KEY": key], started: started)
    }

    @Test func importTakesWhatItCanAndSaysTheRest() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "a.jsonl")
            let lines = [device(1).canonicalText, "{\"objectId\":\"x\"", device(2).canonicalText]
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let data = folder.appending(path: "d.sqlite")
            let run = try await Program.run(["import", file.path, "--data", data.path])
            #expect(run.status == 8, "\(run.errors)")
            #expect(run.output.contains("2 added") && run.output.contains("line 2: it is not JSON"), "\(run.output)")
            let again = try await Program.run(["import", file.path, "--data", data.path])
            #expect(again.output.contains("0 added") && again.output.contains("2 here already"))
            // Whoever copies the file alone has everything.
            let log = try? FileManager.default.attributesOfItem(atPath: data.path + "-wal")[.size] as? Int
            #expect(log ?? 0 == 0)
            let registry = try Registry.test(at: data.path)
            defer { registry.close() }
            #expect(try await registry.contents().count == 2)
        }
    }

    @Test(arguments: [
        (["import", "/nonexistent/a.jsonl", "--data", "D"], 1, "/nonexistent/a.jsonl"),
        (["import", "/proc/self/mem", "--data", "D"], 1, "cannot be read"),
        (["import", "/dev/null"], 64, "--data"),
        (["import", "/dev/null", "--data", "D", "--workspace", "/nonexistent/w"], 3, "/nonexistent/w"),
        (["import", "/dev/null", "--data", "/nonexistent/d"], 1, "/nonexistent/d"),
        (["import", "/dev/null", "--data", "D", "--class", "BugleLock"], 1, "BugleLock"),
        (["import", "/dev/null", "--data", "postgres://u:p@w@h/x"], 64, "write it as %40.\n"),
        (["pull", "--from", "http://127.0.0.1:1", "--app-id", "a", "--data", "D"], 64, "LEANCLOUD_MASTER_KEY"),
        (["pull", "--from", "x", "--app-id", "a", "--data", "D", "--page-size", "0"], 64, "page-size"),
        (
            ["pull", "--from", "push.example.com", "--app-id", "a", "--data", "D"], 64,
            "say --from https://push.example.com."
        ),
        (
            ["pull", "--from", "https://push.example.com/1.1/", "--app-id", "a", "--data", "D"], 64,
            "say --from https://push.example.com."
        ),
        (
            ["pull", "--from", "push.example.com/1.1", "--app-id", "a", "--data", "D"], 64,
            "say --from https://push.example"
        ),
        (["pull", "--from", "http://push.example.com", "--app-id", "a", "--data", "D"], 64, "use https"),
        (
            ["pull", "--from", "https://push.example.com", "--app-id", "a", "--data", "D", "--timeout", "soon"], 64,
            "30s"
        ),
    ])
    func whatCannotBeDoneIsAClearError(arguments: [String], status: Int32, word: String) async throws {
        try await inFolder { folder in
            let path = folder.appending(path: "d.sqlite").path
            let run = try await Program.run(arguments.map { $0 == "D" ? path : $0 }, environment: [:])
            #expect(run.status == status, "\(run.errors)")
            #expect(run.errors.contains(word), "\(run.errors)")
        }
    }

    @Test func pullCopiesDevicesAndLedgerAndNoLock() async throws {
        try await inFolder { folder in
            try await withApp(devices: 37) { url, source in
                let data = folder.appending(path: "d.sqlite")
                let run = try await pull(url, data)
                #expect(run.status == 0, "\(run.errors)")
                #expect(run.output.contains("_Installation: ") && run.output.contains("37 added"), "\(run.output)")
                #expect(run.output.contains("BugleResource: the app has no such class"))
                #expect(run.output.contains("1 deliveries of the ledger are open"))
                #expect(!(run.output + run.errors).contains(Self.masterKey))
                let target = try Registry.test(at: data.path)
                defer { target.close() }
                #expect(try await target.contents() == (try await source.contents()))
                #expect(try await target.contents("BugleLedger") == (try await source.contents("BugleLedger")))
                await #expect(throws: RegistryError.self) { try await target.contents("BugleLock") }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5, 8])
    func killedAnywhereAndRunAgainItEndsWithTheSame(atRequest number: Int) async throws {
        let victim = Victim()
        try await inFolder { folder in
            try await withApp(
                devices: 87,
                observe: { request in if request >= number { await victim.kill() } },
                { url, source in
                    let data = folder.appending(path: "d.sqlite")
                    let first = try await pull(url, data) { victim.isRunning(as: $0) }
                    #expect(first.status == -9)
                    let second = try await pull(url, data)
                    #expect(second.status == 0, "\(second.errors)")
                    let target = try Registry.test(at: data.path)
                    defer { target.close() }
                    #expect(try await target.contents() == (try await source.contents()))
                    #expect(try await target.contents("BugleLedger") == (try await source.contents("BugleLedger")))
                })
        }
    }

    /// Conditions of what was deployed, and of the workspace.
    @Test func classesThatConditionsPointToAreProposed() async throws {
        try await inFolder { folder in
            try await withApp(devices: 1) { url, source in
                let fields: JSONValue = [
                    "where": ["owner": ["$inQuery": ["className": "Team", "where": ["vip": true]]]]
                ]
                _ = try await source.create(
                    ["workspace": "giants", "kind": "Segment", "fields": .string(fields.canonicalText), "ACL": [:]],
                    in: try ClassName("BugleResource"), as: .master, at: .noon)
                _ = try await source.create(
                    ["vip": true, "ACL": [:]], in: try ClassName("Team"), as: .master, at: .noon)
                let workspace = folder.appending(path: "push")
                try FileManager.default.createDirectory(at: workspace, withIntermediateDirectories: true)
                let files = """
                    kind: Workspace
                    name: giants
                    ---
                    kind: Segment
                    name: gold
                    where: {owner: {$inQuery: {className: _User, where: {gold: true}}}}
                    """
                try Data(files.utf8).write(to: workspace.appending(path: "bugle.yaml"))
                let data = folder.appending(path: "d.sqlite")
                let first = try await pull(url, data, ["--workspace", workspace.path])
                #expect(first.status == 0, "\(first.errors)")
                #expect(first.output.contains("add --class Team --class _User."), "\(first.output)")
                let second = try await pull(url, data, ["--class", "Team"])
                #expect(second.status == 0, "\(second.errors)")
                #expect(
                    second.output.contains("Team: 2 read, 1 added") && !second.output.contains("--class"),
                    "\(second.output)")
            }
        }
    }

    /// A server that takes connections and says nothing.
    @Test func aSilentServerIsGivenUp() async throws {
        try await inFolder { folder in
            let backend = try RecordingBackend()
            defer { backend.stop() }
            let run = try await pull(backend.url, folder.appending(path: "d.sqlite"), ["--timeout", "1s"])
            #expect(run.status == 1)
            #expect(run.errors.contains("has said nothing for 1s"), "\(run.errors)")
            #expect(run.errors.contains("run it again to go on"), "\(run.errors)")
        }
    }

    @Test func aWrongKeyIsSaidAndNotShown() async throws {
        try await inFolder { folder in
            try await withApp(devices: 1) { url, _ in
                let run = try await pull(url, folder.appending(path: "d.sqlite"), key: "wrong-key-123")
                #expect(run.status == 1)
                #expect(run.errors.contains("check appId and masterKey"), "\(run.errors)")
                #expect(!(run.output + run.errors).contains("wrong-key-123"))
            }
        }
    }
}
