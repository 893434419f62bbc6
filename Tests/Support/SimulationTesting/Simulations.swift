internal import DeviceRegistry
internal import Foundation
internal import Synchronization

/// Runs the worlds of many seeds, on as many threads as there are cores.
package enum Simulations {
    /// The seeds whose worlds broke a rule, with what was broken; it ends after a few.
    package static func failures(of seeds: Range<UInt64>) async -> [String] {
        await failures(of: seeds) { seed, registry in
            SimulatedWorld.make(seed: seed, on: registry, isTelling: seeds.count == 1).violations()
        }
    }

    /// The same where everything that the journals do is held against the table of the model as well; and the events of the
    /// table that never happened.
    package static func failures(
        of seeds: Range<UInt64>, against table: TransitionTable
    ) async -> (failures: [String], unseen: [String]) {
        let unseen = Mutex(table.events)
        let failures = await failures(of: seeds) { seed, registry in
            let world = SimulatedWorld.make(seed: seed, on: registry, isTelling: seeds.count == 1)
            guard let world = world as? AppleWorld else { return world.violations() }
            world.trace = JournalTrace(table)
            defer { unseen.withLock { $0.subtract(world.trace?.events ?? []) } }
            return world.violations()
        }
        return (failures, unseen.withLock { $0.sorted() })
    }

    /// The same of worlds in which a delivery is held in its middle.
    package static func failuresWhenHeld(of seeds: Range<UInt64>) async -> [String] {
        await failures(of: seeds) { seed, registry in
            let world = AppleWorld(
                seed: seed, registry: registry, isMixed: seed % 2 == 1, isTelling: seeds.count == 1)
            return world.violations { [unowned world] _ in await world.hold() }
        }
    }

    /// The same of worlds that take the course that every remote must take.
    package static func failuresOfConformance(of seeds: Range<UInt64>) async -> [String] {
        await failures(of: seeds) { seed, registry in
            SimulatedWorld.make(seed: seed, on: registry, isTelling: seeds.count == 1)
                .violations { await $0.conform() }
        }
    }

    private static func failures(
        of seeds: Range<UInt64>, _ violations: @escaping @Sendable (UInt64, Registry) -> [String]
    ) async -> [String] {
        let failures = Mutex<[String]>([])
        await each(seeds) { seed, registry in
            let found = violations(seed, registry)
            return failures.withLock { failures in
                if !found.isEmpty { failures.append("simulation \(seed)-\(seed): " + found.joined(separator: "\n")) }
                return failures.count < 5
            }
        }
        return failures.withLock { $0.sorted() }
    }

    /// The text that tells the course of each seed's world from every other.
    package static func traces(of seeds: Range<UInt64>) async -> [UInt64: UInt64] {
        let traces = Mutex<[UInt64: UInt64]>([:])
        await each(seeds) { seed, registry in
            let world = SimulatedWorld.make(seed: seed, on: registry)
            _ = world.violations()
            traces.withLock { $0[seed] = world.scheduler.trace }
            return true
        }
        return traces.withLock { $0 }
    }

    private static func each(
        _ seeds: Range<UInt64>, _ body: @escaping @Sendable (UInt64, Registry) -> Bool
    ) async {
        let queue = SeedQueue(seeds)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<min(seeds.count, ProcessInfo.processInfo.activeProcessorCount) {
                group.addTask {
                    await onThread {
                        guard let registry = try? Registry.inMemory(isInline: true) else { return }
                        while let seed = queue.next(), body(seed, registry) {}
                    }
                }
            }
        }
    }

    /// Hands out seeds.
    private final class SeedQueue: Sendable {
        private let left: Mutex<Range<UInt64>>

        init(_ seeds: Range<UInt64>) { left = Mutex(seeds) }

        func next() -> UInt64? { left.withLock { $0.popFirst() } }
    }

    /// Runs what blocks on a thread of its own.
    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                body()
                continuation.resume()
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
