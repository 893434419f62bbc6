import Base
import Foundation
import GRDB
import ProgramTesting
import PushServer
import Synchronization
import Testing

/// The built program as a service: how it stops, what it refuses to start with, its backups.
@Suite struct ServiceProgramTests {
    private static let device = #"{"deviceType":"ios","deviceToken":"last"}"#

    /// A program that is in the middle of a request: its head is there and half of its body.
    private static func inRequest(
        _ folder: URL, _ options: [String] = []
    ) async throws -> (Program, UncheckedConnection) {
        let program = try await Program.start(data: folder.appending(path: "d.sqlite"), options)
        let port = program.port
        let connection = try await onThread {
            let connection = try RawConnection(port)
            let headers = ["Content-Length: \(device.utf8.count)", "Expect: 100-continue"]
            connection.send(head("POST /1.1/installations", headers))
            // The request is being read once it was told to go on.
            #expect(try connection.reply().status == 100)
            connection.send(Array(device.utf8.prefix(10)))
            return UncheckedConnection(connection: connection)
        }
        return (program, connection)
    }

    /// Sends SIGTERM and returns when the program does not listen any more.
    private static func beginStop(_ program: Program) async throws {
        program.send(SIGTERM)
        try await eventually { try !program.isListening }
    }

    @Test func sigtermEndsRequestsInFlightAndAnswersThem() async throws {
        try await inFolder { (folder) async throws in
            let (program, held) = try await Self.inRequest(folder, ["--grace-period", "10m"])
            try await Self.beginStop(program)
            let reply = try await onThread {
                held.connection.send(Array(Self.device.utf8.dropFirst(10)))
                return try held.connection.reply()
            }
            #expect(reply.status == 201)
            #expect(try await program.ending == .exited(0))
            let next = try await Program.start(data: folder.appending(path: "d.sqlite"))
            defer { next.kill() }
            #expect(try await next.call("GET", "/installations?count=1&limit=0").body["count"] == 1)
        }
    }

    @Test func theGracePeriodIsBounded() async throws {
        try await inFolder { (folder) async throws in
            let (program, held) = try await Self.inRequest(folder, ["--grace-period", "200ms"])
            program.send(SIGTERM)
            #expect(try await program.ending == .exited(0))
            withExtendedLifetime(held) {}
        }
    }

    @Test func aSecondSignalEndsItAtOnce() async throws {
        try await inFolder { (folder) async throws in
            let (program, held) = try await Self.inRequest(folder, ["--grace-period", "10m"])
            try await Self.beginStop(program)
            program.send(SIGTERM)
            #expect(try await program.ending == .signaled(SIGTERM))
            withExtendedLifetime(held) {}
        }
    }

    @Test func aServerThatIsToldToStopIsNotReadyButTakesRequestsForTheDrainDelay() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            $0.limits.drainDelay = .seconds(3600)
            $0.limits.idleTimeout = .seconds(3600)
        }
        try await ServiceServer.run(configure) { (server) async throws in
            #expect(try await server.call("GET", "/ready", []).status == 200)
            let stopping = Task { await server.server.stop() }
            try await eventually { try await server.call("GET", "/ready", []).status == 503 }
            #expect(try await server.call("GET", "/health", []).status == 200)
            let (status, held) = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send(head("GET /1.1/date"))
                return (try connection.reply().status, UncheckedConnection(connection: connection))
            }
            #expect(status == 200)
            // The delay is over: connections end, also those that may idle for an hour.
            stopping.cancel()
            #expect(await onThread { held.connection.isEnded() })
            _ = await stopping.value
        }
    }

    @Test func theRegistryIsReadableByItsUserOnly() async throws {
        try await inFolder { (folder) async throws in
            let program = try await Program.start(data: folder.appending(path: "d.sqlite"))
            defer { program.kill() }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
        }
    }

    @Test func aBackupIsTakenWhileItServes() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            let copy = folder.appending(path: "copy.sqlite")
            let program = try await Program.start(data: data)
            let device: JSONValue = ["deviceType": "ios", "deviceToken": "kept"]
            #expect(try await program.call("POST", "/installations", device).status == 201)
            let arguments = ["backup", copy.path, "--data", data.path]
            let taken = try await Program.run(arguments)
            #expect(taken.status == 0, "\(taken.errors)")
            let again = try await Program.run(arguments)
            #expect(again.status == 1)
            #expect(again.errors.contains("exists"))
            #expect(try await Program.run(arguments + ["--overwrite"]).status == 0)
            program.kill()
            _ = try await program.ending
            let restored = try await Program.start(data: copy)
            defer { restored.kill() }
            #expect(try await restored.call("GET", "/installations?count=1&limit=0").body["count"] == 1)
        }
    }

    @Test func aRestoredServerSendsWhatIsHeldOnlyWhenSomebodySaysSo() async throws {
        try await inFolder { (folder) async throws in
            let (data, copy) = (folder.appending(path: "d.sqlite"), folder.appending(path: "copy.sqlite"))
            let first = try await Program.start(data: data)
            _ = try await first.call("POST", "/installations", ["deviceType": "ios", "deviceToken": "aa"])
            let push: JSONValue = ["data": ["alert": "due"], "push_time": "2999-01-01T00:00:00.000Z"]
            let id = try #require(try await first.call("POST", "/push", push).body["objectId"]?.string)
            // As if its time had come since the backup was taken.
            #expect(try await Program.run(["backup", copy.path, "--data", data.path]).status == 0)
            let database = try DatabaseQueue(path: copy.path)
            try await database.write { try $0.execute(sql: "UPDATE scheduledPush SET fireAt = 1") }
            try database.close()
            let restoring = ["restore", copy.path, "--data", data.path, "--overwrite"]
            let busy = try await Program.run(restoring)
            #expect(busy.status == 1 && busy.errors.contains("another process sends from this registry"))
            first.send(SIGTERM)
            _ = try await first.ending
            let restored = try await Program.run(restoring)
            #expect(restored.status == 0 && restored.output.contains("held back: 1 pushes"), "\(restored)")
            let second = try await Program.start(data: data)
            defer { second.kill() }
            func inbox() async throws -> Int? {
                try await second.call("GET", "/bugle/devices/aa/inbox").body["results"]?.array?.count
            }
            #expect(try await inbox() == 0)
            let held = try await Program.run(["held", "--data", data.path])
            #expect(held.output.hasPrefix(id) && held.output.contains(#"{"alert":"due"}"#), "\(held)")
            #expect(try await Program.run(["held", "--data", data.path, "--send", "none"]).status == 64)
            #expect(try await Program.run(["held", "--data", data.path, "--send", id]).status == 0)
            try await eventually { try await inbox() != 0 }
            #expect(try await inbox() == 1)
            #expect(try await Program.run(["held", "--data", data.path]).output == "no push is held back\n")
        }
    }

    /// LeanCloud's data is imported to push by it: what the app stores elsewhere would be lost here.
    @Test func aServerThatGotLeanCloudsDataIsForPush() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            let export = folder.appending(path: "_Installation.0.jsonl")
            func stores(_ options: [String] = []) async throws -> Bool {
                let program = try await Program.start(data: data, options)
                let status = try await program.call("POST", "/classes/Note", ["n": 1]).status
                program.send(SIGTERM)
                _ = try await program.ending
                return status == 201
            }
            #expect(try await stores())
            #expect(try await stores(["--mode", "push"]) == false)
            try #"{"objectId":"a","deviceType":"ios","deviceToken":"ab","createdAt":"2026-11-01T00:00:00.000Z"}"#
                .write(to: export, atomically: true, encoding: .utf8)
            let run = try await Program.run(["import", export.path, "--data", data.path])
            #expect(run.status == 0, "\(run.errors)")
            #expect(try await stores() == false)
            #expect(try await stores(["--mode", "classes"]))
        }
    }

    // MARK: Settings

    private static let valid = """
        listen: 127.0.0.1:0
        data: d.sqlite
        appId: giants
        keys:
          master: {file: master.key}
          app: {env: MY_APP_KEY}
        logFormat: json
        """

    private static func write(_ text: String, to folder: URL) throws -> String {
        let file = folder.appending(path: "server.yaml")
        try Data(text.utf8).write(to: file)
        try Data("from-a-file-of-its-own\n".utf8).write(to: folder.appending(path: "master.key"))
        return file.path
    }

    @Test(
        arguments: [
            ("upstream: http://127.0.0.1:8710", "'upstream' is where this server itself listens"),
            ("upstream: https://backend.example.com\nmode: classes", "'mode' keeps every class here"),
        ])
    func anUpstreamThatCannotBeRightIsRefusedAtItsLine(more: String, problem: String) async throws {
        try await inFolder { (folder) async throws in
            let text = Self.valid.replacing("127.0.0.1:0", with: "127.0.0.1:8710") + "\n" + more
            let file = try Self.write(text, to: folder)
            let checked = try await Program.run(["check", "--config", file], environment: ["MY_APP_KEY": "app"])
            #expect(checked.status == 3)
            #expect(checked.errors.contains(problem) && checked.errors.contains("server.yaml:"), "\(checked.errors)")
        }
    }

    @Test func theFileIsEnoughAndTheEnvironmentAndTheCommandLineWinOverIt() async throws {
        try await inFolder { (folder) async throws in
            let file = try Self.write(Self.valid, to: folder)
            let keys = ["MY_APP_KEY": "app"]
            let checked = try await Program.run(["check", "--config", file], environment: keys)
            #expect(checked.status == 0, "\(checked.errors)")
            #expect(
                checked.output
                    == "the settings are valid\nall devices are simulated: nothing leaves this server, because "
                    + "'workspace' names no DeviceProfiles\n")
            // Each is wrong alone, so that it must have been read.
            let fromFile = try await Program.run(
                ["check", "--config", try Self.write(Self.valid + "\nmaxConnections: 0", to: folder)], environment: keys
            )
            #expect(fromFile.status == 3)
            let environment = keys.merging(["BUGLE_SERVER_MAX_CONNECTIONS": "none"]) { $1 }
            let fromEnvironment = try await Program.run(
                ["check", "--config", try Self.write(Self.valid, to: folder)], environment: environment)
            #expect(fromEnvironment.status == 64)
            #expect(fromEnvironment.errors.contains("BUGLE_SERVER_MAX_CONNECTIONS takes a whole number"))
            let overridden = try await Program.run(
                ["check", "--config", file, "--max-connections", "5"], environment: environment)
            #expect(overridden.status == 0, "\(overridden.errors)")
        }
    }

    @Test(arguments: [
        ("lisen: x", "server.yaml:1:1: error: unknown key 'lisen'; did you mean 'listen'? [unknown-key]"),
        (valid + "\nindexedFields: [a.b]", "server.yaml:8:16: error: 'indexedFields' takes names of fields"),
        (valid + "\nkeys: {master: hunter2}", "duplicate-key"),
        ("keys: {master: hunter2}", "server.yaml:1:16: error: 'keys.master' is a secret"),
        (valid.replacingOccurrences(of: "MY_APP_KEY", with: "UNSET"), "server.yaml:6:8: error: 'keys.app' names"),
        (valid.replacingOccurrences(of: "master.key", with: "none.key"), "none.key', which cannot be read"),
        (valid + "\ntls: {certificate: c.pem}", "server.yaml:8:20: error: 'tls.certificate' needs 'tls.key'"),
        (valid + "\ntls: {certificate: c.pem, key: k.pem}", "c.pem' cannot be read"),
    ])
    func aWrongFileIsExitCode3WithThePlace(text: String, words: String) async throws {
        try await inFolder { (folder) async throws in
            let file = try Self.write(text, to: folder)
            for command in ["check", "serve"] {
                let ended = try await Program.run([command, "--config", file], environment: ["MY_APP_KEY": "app"])
                #expect(ended.status == 3)
                #expect(ended.errors.contains(words), "\(ended.errors)")
                #expect(!ended.errors.contains("hunter2"))
                #expect(!ended.errors.contains("from-a-file"))
                #expect(ended.output.isEmpty)
            }
        }
    }

    @Test func aFileThatIsNotThereIsExitCode3() async throws {
        let ended = try await Program.run(["check", "--config", "/no/such/file.yaml"])
        #expect(ended.status == 3)
        #expect(ended.errors.contains("/no/such/file.yaml"))
    }

    @Test func twoEqualKeysAreRefused() async throws {
        let ended = try await Program.run(
            ["check", "--data", "x", "--app-id", "giants"],
            environment: ["BUGLE_SERVER_KEY": "same-key-for-both", "BUGLE_SERVER_APP_KEY": "same-key-for-both"])
        #expect(ended.status == 3)
        #expect(ended.errors.contains("is the same as the master key"))
        #expect(!ended.errors.contains("same-key"))
    }

    @Test(arguments: [
        ("the-master-key-of-it", "is the same as the master key"), ("the-key-that-apps-have", "the same as 'keys.app'"),
        ("fifteen-letters", "must have at least 16 characters"), ("a-key-for-looking", ""),
    ])
    func aKeyForLookingIsItsOwn(key: String, problem: String) async throws {
        let ended = try await Program.run(
            ["check", "--data", "x", "--app-id", "giants"],
            environment: [
                "BUGLE_SERVER_KEY": "the-master-key-of-it", "BUGLE_SERVER_APP_KEY": "the-key-that-apps-have",
                "BUGLE_SERVER_VIEWER_KEY": key,
            ])
        #expect(ended.status == (problem.isEmpty ? 0 : 3))
        #expect(ended.errors.contains(problem) || problem.isEmpty)
        #expect(!ended.errors.contains(key))
    }

    @Test func theTokenForMetricsIsNoKeyThatAppsHave() async throws {
        let ended = try await Program.run(
            ["check", "--data", "x", "--app-id", "giants"],
            environment: [
                "BUGLE_SERVER_KEY": "the-master-key-of-it", "BUGLE_SERVER_APP_KEY": "the-key-that-apps-have",
                "BUGLE_SERVER_METRICS_TOKEN": "the-key-that-apps-have",
            ])
        #expect(ended.status == 3)
        #expect(ended.errors.contains("'metrics.token' is the same as 'keys.app'"))
        #expect(!ended.errors.contains("the-key-that-apps-have"))
    }

    @Test(arguments: [("k", 3), ("fifteen-letters", 3), ("sixteen-letters!", 0)])
    func aMasterKeyThatCanBeGuessedIsRefused(key: String, status: Int32) async throws {
        let ended = try await Program.run(
            ["check", "--data", "x", "--app-id", "giants"], environment: ["BUGLE_SERVER_KEY": key])
        #expect(ended.status == status)
        #expect(ended.errors.contains("'keys.master' must have at least 16 characters") == (status != 0))
    }

    @Test func aStopLeavesOneFileAndSaysWhenItCannot() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            let device: JSONValue = ["deviceType": "ios", "deviceToken": "kept"]
            for hasReader in [false, true] {
                let program = try await BackgroundProgram.start(
                    "bugle-server",
                    ["--listen", "127.0.0.1:0", "--data", data.path, "--app-id", "giants"] + Program.patient,
                    environment: Program.environment)
                let port = try #require(program.head[0].split(separator: ":").last.flatMap { Int($0) })
                var configuration = Configuration()
                configuration.allowsUnsafeTransactions = true
                let reader = hasReader ? try DatabaseQueue(path: data.path, configuration: configuration) : nil
                try await reader?.writeWithoutTransaction { db in
                    try db.beginTransaction(.deferred)
                    _ = try Row.fetchAll(db, sql: "SELECT * FROM installation")
                }
                let answer = try await HTTPClient.send(
                    "POST", "/1.1/installations", port: port, headers: TestServer.headers(.master),
                    body: device.canonicalBytes)
                #expect(answer.status < 300)
                program.send(SIGTERM)
                #expect(try await program.ending == .exited(0))
                let log = try? FileManager.default.attributesOfItem(atPath: data.path + "-wal")[.size] as? Int
                #expect((log ?? 0 > 0) == hasReader)
            }
        }
    }

    @Test func whatIsMissingIsNamedWithEveryPlaceItCanStand() async throws {
        let ended = try await Program.run(["serve", "--app-id", "giants"])
        #expect(ended.status == 64)
        for words in ["--data", "BUGLE_SERVER_DATA", "--config"] { #expect(ended.errors.contains(words)) }
    }
}

/// A connection that several threads use one after the other.
// Each use is awaited before the next begins.
struct UncheckedConnection: @unchecked Sendable {
    let connection: RawConnection
}
