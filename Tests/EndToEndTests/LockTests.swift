import Foundation
import ProgramTesting
import PushServer
import Testing

@Suite struct EndToEndLockTests {
    @Test func ofTwoAppliesOneWorksAndOneNamesTheOther() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world in
            try await world.devices(2)
            // The first apply is held at its push until the second has ended.
            let (reached, ended) = (Gate(), Gate())
            world.onRequest { request, instant in
                guard request.path == "/1.1/push", instant == .beforeHandling else { return }
                reached.open()
                await ended.pass()
            }
            async let first = world.bugle("apply", "--auto-approve")
            await reached.pass()
            let second = try await world.bugle("apply", "--auto-approve")
            ended.open()
            #expect(second.status == 11, "\(second.everything)")
            #expect(second.errors.contains("tester"))
            #expect(second.errors.contains("bugle unlock"))
            #expect(try await first.status == 0)
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aDeadLockIsFreedByItsFence() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            let process = Promise<Int32>()
            world.onRequest { request, instant in
                guard request.path == "/1.1/push", instant == .beforeHandling else { return }
                kill(await process.value, SIGKILL)
            }
            let dead = try await world.bugle("apply", "--auto-approve", started: process.fulfil)
            world.onRequest(nil)
            #expect(dead.wasKilled)
            let locked = try await world.bugle("apply", "--auto-approve")
            #expect(locked.status == 11)
            let fence = try #require(locked.errors.firstMatch(of: /bugle unlock ([0-9]+)/)).output.1
            #expect(try await world.bugle("unlock", "999").status == 1)
            #expect(try await world.bugle("unlock", String(fence)).status == 0)
            world.advance(.seconds(11))
            try await world.apply()
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    /// Whether a signal waits to be taken by the process, or may be on its way within: a thread is awake.
    ///
    /// Whoever takes the signal wakes or makes the thread that notes it, before it sleeps again. So the threads are looked
    /// at twice: the first time one of them may have slept until the other did.
    static func isTakingSignal(_ id: Int32) -> Bool {
        func text(_ path: String) -> String {
            (try? String(contentsOfFile: "/proc/\(id)/\(path)", encoding: .utf8)) ?? ""
        }
        func isAwake() -> Bool {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
            return threads.contains { thread in
                // Its state stands behind its name, which is in parentheses.
                let state = text("task/\(thread)/stat").split(separator: ")").last?.split(separator: " ").first
                return state == "R" || state == "D"
            }
        }
        let isWaiting = text("status").split(separator: "\n").contains {
            $0.hasPrefix("ShdPnd") && $0.dropFirst(7).contains { "123456789abcdef".contains($0) }
        }
        return isWaiting || isAwake() || isAwake()
    }

    @Test func sigtermEndsAnApplyAfterTheChangeInFlight() async throws {
        let files = ["a.yaml": String.giants, "one.yaml": .campaign("one"), "two.yaml": .campaign("two")]
        try await World.run(files) { world in
            try await world.devices(1)
            let process = Promise<Int32>()
            world.onRequest { request, instant in
                guard request.path == "/1.1/push", instant == .beforeHandling else { return }
                let id = await process.value
                kill(id, SIGTERM)
                while Self.isTakingSignal(id) { await Task.yield() }
            }
            let run = try await world.bugle("apply", "--auto-approve", started: process.fulfil)
            world.onRequest(nil)
            #expect(run.status == 8, "\(run.everything)")
            #expect(try await world.inbox("d0") == ["one": 1])
            try await world.apply()
            #expect(try await world.inbox("d0") == ["one": 1, "two": 1])
        }
    }
}
