import Basics
import DeliveryJournal
import DeviceRegistry
import Foundation
import JSONValue
import ProgramTesting
import PushModel
import RegistryModel
import RegistryTesting
import Synchronization
import Testing

/// Events that are reported to built servers, which are killed with -9.
@Suite struct KilledEventTests {
    private static let devices = 300
    private static let delivery = "abcdefghijklmnop"

    /// Registers devices that a delivery reached; gives the reports of all, in requests.
    private static func prepare(_ registry: Registry) async throws -> [JSONValue] {
        var events: [JSONValue] = []
        for number in 0..<devices {
            let device: JSONObject = [
                "deviceType": "ios", "deviceToken": .string(EventTests.World.token(number)),
            ]
            let saved = try await registry.create(device, in: .installation, as: .master, at: .system)
            events.append([
                "delivery": .string(delivery), "installation": .string(saved.object.objectID), "event": "opened",
            ])
        }
        try await EventTests.deliver(
            delivery, to: (0..<devices).map(EventTests.World.token), in: registry, at: .system)
        return stride(from: 0, to: devices, by: 20).map { ["events": .array(Array(events[$0..<($0 + 20)]))] }
    }

    /// Reports everything to a server, and kills it after so many answers; gives the number of accepted events.
    private static func report(_ requests: [JSONValue], to program: Program, killAfter last: Int?) async -> Int {
        let answers = Mutex(0)
        let accepted = Mutex(0)
        await withTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask {
                    guard let answer = try? await program.call("POST", "/bugle/events", request) else { return }
                    accepted.withLock { $0 += Int(answer.body["accepted"]?.integer ?? 0) }
                    let count = answers.withLock { count in
                        count += 1
                        return count
                    }
                    if count == last { program.kill() }
                }
            }
        }
        return accepted.withLock { $0 }
    }

    private static func opened(_ registry: Registry) async throws -> Int {
        try #require(try await RegistryStore(registry).events(of: delivery)).opened
    }

    @Test func whatWasAnsweredBeforeAKillIsThereAndCountsOnce() async throws {
        try await inFolder { (folder) async throws in
            let data = folder.appending(path: "d.sqlite")
            var registry = try Registry.open(path: data.path)
            let requests = try await Self.prepare(registry)
            await registry.shutDown()
            for last in [1, 4, 9] {
                let program = try await Program.start(data: data)
                let accepted = await Self.report(requests, to: program, killAfter: last)
                _ = try await program.ending
                registry = try Registry.open(path: data.path)
                let opened = try await Self.opened(registry)
                #expect((accepted...Self.devices).contains(opened))
                await registry.shutDown()
            }
            let program = try await Program.start(data: data)
            #expect(await Self.report(requests, to: program, killAfter: nil) == Self.devices)
            program.kill()
            _ = try await program.ending
            registry = try Registry.open(path: data.path)
            #expect(try await Self.opened(registry) == Self.devices)
            await registry.shutDown()
        }
    }

    @Test func copiesOfWhichOneIsKilledCountOnce() async throws {
        let (url, registry) = try await Registry.database()
        let requests = try await Self.prepare(registry)
        for last in [2, 7] {
            let (first, second) = (try await Program.start(registry: url), try await Program.start(registry: url))
            async let one = Self.report(requests, to: first, killAfter: last)
            async let two = Self.report(requests.reversed(), to: second, killAfter: nil)
            #expect(await two == Self.devices)
            _ = await one
            #expect(try await Self.opened(registry) == Self.devices)
            first.kill()
            second.kill()
            _ = try await (first.ending, second.ending)
        }
    }
}
