import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import Synchronization
import Testing

/// `kill -9` under a load of registrations and pushes, at moments that a seed chooses.
@Suite struct CrashTests {
    /// What the server answered with success, over all of its lives.
    private final class Promises: Sendable {
        struct Kept {
            /// Device tokens and the last value that was answered for each.
            var devices: [String: Int64] = [:]
            /// The notification ids of pushes with the token that each went to.
            var pushes: [String: String] = [:]
            /// Everything that was answered, to choose a moment by.
            var answers = 0
        }

        let kept = Mutex(Kept())

        /// Counts an answer and gives its number.
        func keep(_ change: (inout Kept) -> Void) -> Int {
            kept.withLock { kept in
                change(&kept)
                kept.answers += 1
                return kept.answers
            }
        }
    }

    /// Each seed is a test of a registry with two lives.
    @Test(arguments: [1, 2, 3] as [UInt64]) func whateverWasAnsweredIsThereAfterEveryKill(seed: UInt64) async throws {
        try await Self.killAgainAndAgain(rounds: 2, seed: seed)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil), arguments: [4, 5] as [UInt64])
    func whateverWasAnsweredIsThereAfterManyKills(seed: UInt64) async throws {
        try await Self.killAgainAndAgain(rounds: 25, seed: seed)
    }

    private static func killAgainAndAgain(rounds: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            let promises = Promises()
            for round in 0..<rounds {
                let program = try await Program.start(data: data, ["--pushes-per-minute", "1000000"])
                let last = promises.kept.withLock { $0.answers } + Int.random(in: 1...150, using: &random)
                await load(program, promises, round: round) { number in
                    if number == last { program.kill() }
                }
                program.kill()
                #expect(try await program.ending == .signaled(SIGKILL))
            }
            try await verify(promises, data: data)
        }
    }

    /// Registers, changes and pushes from several clients until the server is gone.
    private static func load(
        _ program: Program, _ promises: Promises, round: Int, _ answered: @escaping @Sendable (Int) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    for index in 0..<10_000 {
                        // Every third device is met again, and changed.
                        let token = "r\(round)w\(worker)d\(index - index % 3)"
                        let value = Int64(index)
                        let device: JSONValue = [
                            "deviceType": "ios", "deviceToken": .string(token), "value": .integer(value),
                        ]
                        let registered = try? await program.call("POST", "/installations", device)
                        guard let status = registered?.status, (200...201).contains(status) else { return }
                        answered(promises.keep { $0.devices[token] = value })
                        let id = "\(token)n\(index)"
                        let push: JSONValue = [
                            "where": ["deviceToken": .string(token)], "data": ["alert": "x"],
                            "notification_id": .string(id),
                        ]
                        guard (try? await program.call("POST", "/push", push))?.status == 200 else { return }
                        answered(promises.keep { $0.pushes[id] = token })
                    }
                }
            }
        }
    }

    private static func verify(_ promises: Promises, data: URL) async throws {
        let program = try await Program.start(data: data)
        defer { program.kill() }
        let kept = promises.kept.withLock { $0 }
        #expect(kept.answers > 0)
        for (token, value) in kept.devices {
            let query = TestServer.encoded(["where": #"{"deviceToken":"\#(token)"}"#])
            let found = try await program.call("GET", "/installations?" + query).body["results"]?.array ?? []
            #expect(found.count == 1)
            // A change whose answer was lost may be there as well.
            #expect(found.first?["value"]?.integer ?? -1 >= value)
        }
        for id in kept.pushes.keys {
            // One that was answered before it was sent may be sent only now.
            try await eventually { try await program.call("GET", "/notifications/\(id)").body["status"] == "done" }
            let inbox = try await program.call("GET", "/bugle/inboxes?notificationId=\(id)").body
            #expect(inbox == ["devices": 1, "messages": 1, "duplicates": 0])
        }
    }

    /// Bodies that are too many to be in memory at once do not get there.
    @Test func manyLargeBodiesDoNotFillTheMemory() async throws {
        try await inFolder { (folder) async throws in
            let program = try await Program.start(
                data: folder.appending(path: "d.sqlite"),
                ["--large-bodies", "1", "--request-timeout", "30m", "--idle-timeout", "30m"])
            defer { program.kill() }
            let before = try Self.peakKilobytes(program)
            let body = [UInt8](repeating: 0xFF, count: 8 * 1024 * 1024)
            let port = program.port
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await onThread {
                            let connection = try RawConnection(port)
                            connection.send(head("POST /1.1/installations", ["Content-Length: \(body.count)"]))
                            connection.send(body)
                            return try connection.reply().status
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // A body that a busy machine does not send on for ten seconds gives its place up.
            #expect(statuses.allSatisfy { [400, 408, 503].contains($0) }, "\(statuses)")
            // All of them are 160 MB; one, with its copies while it is read, is about 30.
            let growth = try Self.peakKilobytes(program) - before
            #expect(growth < 80 * 1024, "\(growth) kB")
        }
    }

    private static func peakKilobytes(_ program: Program) throws -> Int {
        let path = "/proc/\(program.id)/status"
        let status = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split { !$0.isNumber }.first.flatMap { Int($0) })
    }
}
