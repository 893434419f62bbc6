import Base
import Foundation
import ProgramTesting
import PushServer
import Synchronization
import Testing

/// `kill -9` at every step of an apply, and an apply after it.
@Suite struct KillTests {
    /// A send, a schedule, a cancel, a reschedule and a resource, so that every kind of write is met.
    private static let before = [
        "a.yaml": String.giants,
        "pending.yaml": .campaign("pending", more: "schedule: {at: 2026-12-01T12:00:00Z}\nexpiration: {after: 7d}"),
        "moving.yaml": .campaign("moving", more: "schedule: {at: 2026-12-01T12:00:00Z}\nexpiration: {after: 7d}"),
    ]

    private static func change(_ world: World) throws {
        try world.remove("pending.yaml")
        try world.write(
            "moving.yaml", .campaign("moving", more: "schedule: {at: 2026-12-02T12:00:00Z}\nexpiration: {after: 7d}"))
        try world.write("send.yaml", .campaign("send"))
        try world.write(
            "later.yaml", .campaign("later", more: "schedule: {at: 2026-12-03T12:00:00Z}\nexpiration: {after: 7d}"))
        try world.write("mets.yaml", "kind: Channel\nname: Mets\n")
    }

    /// Applies, killed at one instant of one request; then, so much later, applies until nothing is left to do.
    ///
    /// - Returns: whether the apply made so many requests at all.
    private static func survive(request: Int, instant: RequestInstant, later: Duration) async throws -> Bool {
        let wasKilled = Mutex(false)
        try await World.run(before) { world in
            try await world.devices(2)
            try await world.apply()
            try change(world)
            let process = Promise<Int32>()
            let count = Mutex(0)
            world.onRequest { _, moment in
                let number = count.withLock { count in
                    if moment == .beforeHandling { count += 1 }
                    return count
                }
                // Several may be on their way, so that none is answered while this one is the last.
                guard number >= request, moment == instant else { return }
                let isFirst = wasKilled.withLock { killed in
                    defer { killed = true }
                    return !killed
                }
                if isFirst { kill(await process.value, SIGKILL) }
            }
            _ = try await world.bugle("apply", "--auto-approve", started: process.fulfil)
            world.onRequest(nil)
            world.advance(later)
            for _ in 0..<3 {
                let run = try await world.apply(expecting: nil)
                if run.status == 0 { break }
                world.advance(.seconds(130))
            }
            let place = "killed at request \(request), \(instant), applied again after \(later)"
            let plan = try await world.bugle("plan", "--detailed-exitcode")
            #expect(plan.status == 0, "\(place): \(plan.everything)")
            world.advance(.seconds(13 * 86_400))
            _ = try await world.call("POST", "/bugle/clock", ["advance": 1])
            for device in ["d0", "d1"] {
                #expect(try await world.inbox(device) == ["send": 1, "moving": 1, "later": 1], "\(place)")
            }
        }
        return wasKilled.withLock { $0 }
    }

    private static var isLong: Bool { ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil }

    @Test(arguments: [RequestInstant.beforeHandling, .beforeAnswering])
    func whateverKillsAnApplyEveryDeviceGetsEachDeliveryOnce(instant: RequestInstant) async throws {
        // The short version takes every fourth request, at another offset for each instant; the long one takes all.
        let first = instant == .beforeHandling || Self.isLong ? 1 : 3
        try await Self.surviveAll(from: first, by: Self.isLong ? 1 : 4, instant: instant, later: .seconds(130))
    }

    /// Survives a kill at every so many requests of an apply, each in a world of its own and some at a time.
    private static func surviveAll(from first: Int, by step: Int, instant: RequestInstant, later: Duration) async throws
    {
        let lanes = 4
        let end = try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var request = first + lane * step
                    while try await survive(request: request, instant: instant, later: later) {
                        request += lanes * step
                    }
                    return request
                }
            }
            return try await group.reduce(.max) { min($0, $1) }
        }
        #expect(end > 20)
    }

    @Test(.enabled(if: isLong), arguments: [Duration.seconds(300), .seconds(660)])
    func theSameAfterFiveAndElevenMinutes(later: Duration) async throws {
        for instant in [RequestInstant.beforeHandling, .beforeAnswering] {
            try await Self.surviveAll(from: 1, by: 1, instant: instant, later: later)
        }
    }
}
