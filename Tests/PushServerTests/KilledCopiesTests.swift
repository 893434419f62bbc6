import APNsSimulator
import Basics
import DeviceRegistry
import Foundation
import JSONValue
import ProgramTesting
import PushModel
import RegistryModel
import RegistryTesting
import Synchronization
import Testing

/// Three built servers on one database, of which one is killed with -9 again and again.
@Suite struct KilledCopiesTests {
    /// The servers, and a client that goes to another one when a call fails, as behind a load balancer.
    private final class Copies: Sendable {
        private let url: String
        private let options: [String]
        private let programs: Mutex<[Program]>

        init(_ url: String, _ options: [String] = []) async throws {
            (self.url, self.options) = (url, ["--pushes-per-minute", "1000000"] + options)
            var programs: [Program] = []
            for _ in 0..<3 { programs.append(try await Program.start(registry: url, self.options)) }
            self.programs = Mutex(programs)
        }

        subscript(index: Int) -> Program { programs.withLock { $0[index] } }

        func killAndRestart(_ index: Int) async throws {
            let old = self[index]
            old.kill()
            _ = try await old.ending
            let new = try await Program.start(registry: url, options)
            programs.withLock { $0[index] = new }
        }

        func kill() { for index in 0..<3 { self[index].kill() } }

        /// The answer of the first copy that gives one, from a given one on.
        func call(_ method: String, _ path: String, _ body: JSONValue? = nil, from first: Int = 0) async throws
            -> Answer
        {
            var next = first
            while true {
                if let answer = try? await self[next % 3].call(method, path, body), answer.status < 500 {
                    return answer
                }
                next += 1
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// How far each client has come, and whether all may end.
    private final class Course: Sendable {
        let rounds = Mutex<[Int: Int]>([:])
        let isOver = Atomic(false)
    }

    @Test func whatWasAnsweredIsTrueAndNothingHappensTwice() async throws { try await Self.endure(kills: 2) }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil))
    func whatWasAnsweredIsTrueAfterManyKills() async throws { try await Self.endure(kills: 25) }

    private static func endure(kills: Int) async throws {
        let (url, registry) = try await Registry.database()
        let copies = try await Copies(url)
        defer { copies.kill() }
        let course = Course()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<9 {
                group.addTask {
                    var round = 0
                    while !course.isOver.load(ordering: .relaxed) {
                        let token = "w\(worker)d\(round)"
                        let device: JSONValue = [
                            "deviceType": "ios", "deviceToken": .string(token), "value": .integer(Int64(round)),
                        ]
                        let registered = try await copies.call("POST", "/installations", device, from: worker)
                        #expect((200...201).contains(registered.status))
                        // A client that got no answer asks again under the same id.
                        let push: JSONValue = [
                            "where": ["deviceToken": .string(token)], "data": ["alert": "x"],
                            "notification_id": .string(token), "req_id": .string(token),
                        ]
                        #expect(try await copies.call("POST", "/push", push, from: worker + round).status == 200)
                        round += 1
                        course.rounds.withLock { [round] in $0[worker] = round }
                    }
                }
            }
            group.addTask {
                for kill in 1...kills {
                    // Each time some more was answered.
                    while course.rounds.withLock({ $0.values.reduce(0, +) }) < 60 * kill {
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    try await copies.killAndRestart(0)
                }
                course.isOver.store(true, ordering: .relaxed)
            }
            try await group.waitForAll()
        }
        let kept = course.rounds.withLock { $0 }
        #expect(try await registry.deviceCount() == kept.values.reduce(0, +))
        for (worker, count) in kept {
            for round in 0..<count {
                let token = "w\(worker)d\(round)"
                // What one copy accepted and did not send any other sends.
                var record = try await copies.call("GET", "/notifications/\(token)").body
                while record["status"] != "done" {
                    try await Task.sleep(for: .milliseconds(50))
                    record = try await copies.call("GET", "/notifications/\(token)").body
                }
                let inbox = try await copies.call("GET", "/bugle/inboxes?notificationId=\(token)").body
                #expect(inbox == ["devices": 1, "messages": 1, "duplicates": 0], "\(token)")
            }
        }
        await registry.shutDown()
    }

    @Test func aPushToAppleThatItsCopyDiedOfIsTakenOverWithinThirtySeconds() async throws {
        let count = 15_000
        var configuration = SimulatorConfiguration()
        configuration.acceptsEveryToken = true
        configuration.recording = .counts
        let (url, registry) = try await Registry.database()
        _ = try await registry.seed(devices: count, at: .system)
        try await APNsSimulator.with(configuration) { apple in
            try await inFolder { (folder) async throws in
                let copies = try await Copies(url, try AppleRestartTests.workspace(in: folder, apple))
                defer { copies.kill() }
                apple.add(Fault(.delay(milliseconds: 40)))
                let push: JSONValue = ["data": ["alert": "x"], "notification_id": "n1"]
                async let answer = copies[0].call("POST", "/push", push)
                await apple.wait { $0.processed > 300 }
                try await copies.killAndRestart(0)
                _ = try? await answer
                let (killed, before) = (ContinuousClock.now, apple.statistics.processed)
                await apple.wait { $0.processed > before + 100 }
                #expect(ContinuousClock.now - killed < .seconds(30))
                // Killed again while any copy may be sending.
                try await copies.killAndRestart(1)
                var record: JSONValue = [:]
                while record["status"] != "done" {
                    try await Task.sleep(for: .milliseconds(50))
                    record = try await copies.call("GET", "/notifications/n1", from: 2).body
                    if record["status"] == "error" { break }
                }
                #expect(record["status"] == "done", "\(record)")
                let (devices, doubtful) = (record["iosSuccesses"]?.integer ?? 0, record["inDoubt"]?.integer ?? 0)
                let reached = apple.deliveryHistogram()
                #expect(Set(reached.keys) == [1])
                // Nobody is forgotten, and of each killed copy at most two batches are in doubt.
                #expect(Int64(reached[1] ?? 0) >= devices)
                #expect(Int64(reached[1] ?? 0) <= devices + doubtful)
                #expect(doubtful <= 4000)
                #expect(record["devices"] == record["successes"].map { .integer(($0.integer ?? 0) + doubtful) })
            }
        }
        await registry.shutDown()
    }
}
