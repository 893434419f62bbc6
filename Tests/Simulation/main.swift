internal import CLibrary
internal import SimulationTesting

// Runs the worlds of many seeds, optimised: `simulation COUNT`, or `simulation FIRST-LAST` for these seeds alone.
//
// Exit status 1 when a world broke a rule; its seed is printed, and a single one tells its story.

let words = CommandLine.arguments.dropFirst().first.map { $0.split(separator: "-").compactMap { UInt64($0) } } ?? []
guard let last = words.last, CommandLine.arguments.count == 2 else {
    print("usage: simulation COUNT | FIRST-LAST")
    exit(64)
}
let seeds = words.count == 2 ? words[0]..<max(words[0], last) + 1 : 0..<last
let clock = ContinuousClock()
let start = clock.now
let failures = await Simulations.failures(of: seeds)
for failure in failures { print(failure) }
print("simulation: \(seeds.count) schedules in \(start.duration(to: clock.now)): \(failures.count) failed")
exit(failures.isEmpty ? 0 : 1)
