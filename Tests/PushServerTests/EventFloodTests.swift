import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Synchronization
import Testing

/// Many events at once, and what else the server does meanwhile.
@Suite struct EventFloodTests {
    /// Reports all devices' events from many connections while others register; gives the reports that were turned
    /// away, and the longest time that a registration took.
    private static func flood(
        _ world: EventTests.World, rounds: Int, connections: Int
    ) async throws -> (turnedAway: Int, events: Int, took: Duration, slowest: Duration) {
        let server = world.server
        let bodies = stride(from: 0, to: world.devices.count - 10, by: 100).map { first -> JSONValue in
            ["events": .array((first..<min(first + 100, world.devices.count - 10)).map { world.event($0) })]
        }
        let isOver = Atomic(false)
        let clock = ContinuousClock()
        async let slowest = { () async throws -> Duration in
            var slowest = Duration.zero
            var number = 0
            while !isOver.load(ordering: .relaxed) || number < 20 {
                let device: JSONValue = ["deviceType": "ios", "deviceToken": .string("f00d\(number)")]
                let start = clock.now
                #expect(try await server.call("POST", "/installations", device, key: .app).status == 201)
                slowest = max(slowest, clock.now - start)
                number += 1
            }
            return slowest
        }()
        let start = clock.now
        let (turnedAway, events) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for connection in 0..<connections {
                group.addTask {
                    var (turnedAway, events) = (0, 0)
                    for round in 0..<rounds {
                        let body = bodies[(connection + round) % bodies.count]
                        let answer = try await server.call("POST", "/bugle/events", body, key: .app)
                        if answer.status == 429 {
                            #expect(answer.headers["retry-after"] == "1")
                            turnedAway += 1
                        } else {
                            #expect(answer.body["accepted"]?.integer == Int64(body["events"]?.array?.count ?? 0))
                            events += body["events"]?.array?.count ?? 0
                        }
                    }
                    return (turnedAway, events)
                }
            }
            return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        let took = clock.now - start
        isOver.store(true, ordering: .relaxed)
        return (turnedAway, events, took, try await slowest)
    }

    @Test func devicesRegisterWhileEventsFlood() async throws {
        try await TestServer.run { (server) async throws in
            let world = try await EventTests.World(server, devices: 210)
            let run = try await Self.flood(world, rounds: 10, connections: 16)
            #expect(run.events + 100 * run.turnedAway == 16_000)
            // However often each was reported.
            #expect(try await world.counts()[0] <= 200)
            #expect(try await world.report([world.event(0)]).status == 200)
        }
    }

    /// On a machine that does nothing else, with an optimized build: `swift test -c release`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil))
    func tenThousandEventsASecondAreTaken() async throws {
        try await TestServer.run { (server) async throws in
            let world = try await EventTests.World(server, devices: 5010)
            let run = try await Self.flood(world, rounds: 100, connections: 8)
            let rate = Double(run.events) / (run.took / .seconds(1))
            print("\(Int(rate)) events a second, slowest registration \(run.slowest)")
            #expect(try await world.counts()[0] == 5000)
            #expect(run.slowest < .seconds(1))
            #if !DEBUG
                #expect(rate >= 10_000)
            #endif
        }
    }
}
