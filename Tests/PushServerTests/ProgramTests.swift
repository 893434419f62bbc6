import Foundation
import JSONValue
import PushServer
import Synchronization
import Testing

/// The built program, as a process of its own.
final class Program: Sendable {
    let process: Process
    let port: Int

    static let environment = ["BUGLE_SERVER_KEY": TestServer.masterKey, "BUGLE_SERVER_APP_KEY": TestServer.appKey]

    static func launch(
        _ arguments: [String], environment: [String: String] = environment
    ) throws -> (Process, output: Pipe, errors: Pipe) {
        let folders = [
            Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let candidates = folders.map { $0.appending(path: "bugle-server") }
        let process = Process()
        let built = candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.executableURL = try #require(built as URL?, "bugle-server is not built")
        process.arguments = arguments
        process.environment = environment
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return (process, output, errors)
    }

    /// Starts the program and returns when it listens.
    static func start(data: URL, _ more: [String] = []) async throws -> Program {
        try await onThread { try Program(data: data, more) }
    }

    private init(data: URL, _ more: [String]) throws {
        let arguments = ["--listen", "127.0.0.1:0", "--data", data.path, "--app-id", "giants"] + more
        let (process, output, _) = try Self.launch(arguments)
        self.process = process
        var line = ""
        while !line.hasSuffix("\n") {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "the program ended before it listened")
            line += String(decoding: more, as: UTF8.self)
        }
        let prefix = "listening on http://127.0.0.1:"
        try #require(line.hasPrefix(prefix))
        port = try #require(Int(line.dropFirst(prefix.count).dropLast()))
    }

    /// Runs the program until it ends by itself.
    static func run(
        _ arguments: [String], environment: [String: String] = environment
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await onThread {
            let (process, output, errors) = try launch(arguments, environment: environment)
            let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text, errorText)
        }
    }

    func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
        try await HTTPClient.send(
            method, "/1.1" + path, port: port, headers: TestServer.headers(.master), body: body?.canonicalBytes ?? [])
    }

    /// `kill -9`.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// What a server has answered with success.
private final class Answered: Sendable {
    let devices = Mutex<[String]>([])
    let pushes = Mutex<[String]>([])
}

@Suite struct ProgramTests {
    private func inFolder(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder)
    }

    @Test func whateverWasAnsweredIsThereAfterKill9() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            let first = try await Program.start(data: data)
            let answered = Answered()
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        for index in 0... {
                            let token = "w\(worker)x\(index)"
                            let device: JSONValue = ["deviceType": "ios", "deviceToken": .string(token)]
                            let registered = try? await first.call("POST", "/installations", device)
                            guard registered?.status == 201 else { return }
                            answered.devices.withLock { $0.append(token) }
                            let push: JSONValue = [
                                "where": ["deviceToken": .string(token)], "data": ["alert": "x"],
                                "notification_id": .string(token),
                            ]
                            guard (try? await first.call("POST", "/push", push))?.status == 200 else { return }
                            let count = answered.pushes.withLock { tokens in
                                tokens.append(token)
                                return tokens.count
                            }
                            // In the middle of everybody's work.
                            if count == 40 { first.kill() }
                        }
                    }
                }
            }
            let second = try await Program.start(data: data)
            defer { second.kill() }
            let pushes = answered.pushes.withLock { $0 }
            #expect(pushes.count >= 40)
            for token in answered.devices.withLock({ $0 }) {
                let condition = TestServer.encoded([
                    "where": #"{"deviceToken":"\#(token)"}"#, "count": "1", "limit": "0",
                ])
                #expect(try await second.call("GET", "/installations?" + condition).body["count"] == 1)
            }
            for token in pushes {
                #expect(try await second.call("GET", "/notifications/\(token)").body["status"] == "done")
                let summary = try await second.call("GET", "/bugle/inboxes?notificationId=\(token)").body
                #expect(summary == ["devices": 1, "messages": 1, "duplicates": 0])
            }
        }
    }

    @Test func sigtermStopsItGracefully() async throws {
        try await inFolder { (folder) async throws in
            let program = try await Program.start(data: folder.appending(path: "d.sqlite"))
            #expect(try await program.call("GET", "/date").status == 200)
            program.process.terminate()
            try await onThread { program.process.waitUntilExit() }
            #expect(program.process.terminationReason == .exit)
            #expect(program.process.terminationStatus == 0)
        }
    }

    @Test func seedingHappensOnce() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            for _ in 0..<2 {
                let program = try await Program.start(data: data, ["--seed-devices", "50"])
                let answer = try await program.call("GET", "/installations?count=1&limit=0")
                #expect(answer.body["count"] == 50)
                program.kill()
            }
        }
    }

    @Test(arguments: [
        (["--listen", "nonsense"], 64, "listen"), (["--listen", "127.0.0.1:99999"], 64, "listen"),
        (["--pushes-per-minute", "0"], 64, "pushes-per-minute"), (["--seed-devices", "-1"], 64, "seed-devices"),
        (["--data", "/nonexistent/d.sqlite"], 1, "/nonexistent/d.sqlite"),
        (["--listen", "203.0.113.1:1"], 1, "203.0.113.1:1"),
    ])
    func wrongOptionsAreClearErrors(options: [String], status: Int32, word: String) async throws {
        try await inFolder { (folder) async throws in
            var arguments = ["--app-id", "giants"] + options
            for (name, value) in [("--data", folder.appending(path: "d.sqlite").path), ("--listen", "127.0.0.1:0")]
            where !options.contains(name) {
                arguments += [name, value]
            }
            let ended = try await Program.run(arguments)
            #expect(ended.status == status)
            #expect(ended.errors.contains(word), "\(ended.errors)")
            #expect(ended.output.isEmpty)
        }
    }

    @Test func aMissingMasterKeyIsNamed() async throws {
        try await inFolder { (folder) async throws in
            let arguments = [
                "--listen", "127.0.0.1:0", "--data", folder.appending(path: "d").path, "--app-id", "giants",
            ]
            let ended = try await Program.run(arguments, environment: [:])
            #expect(ended.status == 64)
            #expect(ended.errors.contains("BUGLE_SERVER_KEY"))
        }
    }

    @Test func keysAreNeverPrinted() {
        let configuration = TestServer.configuration
        for text in ["\(configuration)", String(reflecting: configuration), "\(configuration.masterKey)"] {
            #expect(!text.contains(TestServer.masterKey))
            #expect(!text.contains(TestServer.appKey))
        }
    }
}
