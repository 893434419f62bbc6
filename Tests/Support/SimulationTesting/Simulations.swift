internal import DeviceRegistry
internal import Foundation
internal import Synchronization

/// Runs the worlds of many seeds, on as many threads as there are cores.
package enum Simulations {
    /// What the worlds of some seeds came to.
    package struct Report: Sendable {
        /// The seeds whose worlds broke a rule, with what was broken; it ends after a few.
        package fileprivate(set) var failures: [String] = []
        /// The events of the model's table that happened.
        fileprivate var events: Set<String> = []
        /// The table's events that never happened.
        package fileprivate(set) var unseen: [String] = []
        /// The most that a world took to come to its end.
        package fileprivate(set) var effort = HealingEffort()
        /// How often each fault of a disk happened.
        package fileprivate(set) var faults: [String: Int] = [:]

        /// The figures, a line each.
        package var figures: [String] {
            let faults = faults.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            return ["end: at most \(effort)"] + (faults.isEmpty ? [] : ["disk: \(faults)"])
        }
    }

    /// Runs the worlds of some seeds, until so many broke a rule; everything that their journals do is held against the
    /// table of the model, if one is given.
    package static func report(
        of seeds: Range<UInt64>, against table: TransitionTable? = nil, onDisk: DiskHonesty? = nil, most: Int = 5
    ) async -> Report {
        let report = Mutex(Report())
        let failures = await failures(of: seeds, most: most) { seed, registry in
            let world =
                if let onDisk {
                    AppleWorld(
                        seed: seed, on: SimulatedMachine(seed: seed, honesty: onDisk), isTelling: seeds.count == 1)
                } else {
                    SimulatedWorld.make(seed: seed, on: registry, isTelling: seeds.count == 1)
                }
            let apple = world as? AppleWorld
            apple?.trace = table.map(JournalTrace.init)
            defer {
                report.withLock { report in
                    report.events.formUnion(apple?.trace?.events ?? [])
                    report.effort.take(world.effort)
                    report.faults.merge(apple?.machine?.counts ?? [:], uniquingKeysWith: +)
                }
            }
            return world.violations()
        }
        return report.withLock { report in
            report.failures = failures
            report.unseen = (table?.events ?? []).subtracting(report.events).sorted()
            return report
        }
    }

    /// The seeds whose worlds broke a rule, with what was broken.
    package static func failures(of seeds: Range<UInt64>) async -> [String] { await report(of: seeds).failures }

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
        of seeds: Range<UInt64>, most: Int = 5, _ violations: @escaping @Sendable (UInt64, Registry) -> [String]
    ) async -> [String] {
        let failures = Mutex<[String]>([])
        await each(seeds) { seed, registry in
            let found = violations(seed, registry)
            return failures.withLock { failures in
                if !found.isEmpty { failures.append("simulation \(seed)-\(seed): " + found.joined(separator: "\n")) }
                return failures.count < most
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
