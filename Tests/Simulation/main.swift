internal import CLibrary
internal import SimulationTesting

// Runs the worlds of many seeds, optimised: `simulation COUNT`, or `simulation FIRST-LAST` for these seeds alone; with
// `--model Tests/Model/transitions.txt` what their journals do is held against the model of the protocol, too.
//
// Exit status 1 when a world broke a rule; its seed is printed, and a single one tells its story.

let arguments = CommandLine.arguments.dropFirst()
let words = arguments.first.map { $0.split(separator: "-").compactMap { UInt64($0) } } ?? []
let table = arguments.count == 3 ? TransitionTable(path: arguments.last ?? "") : nil
guard let last = words.last, arguments.count == 1 || table != nil && arguments.dropFirst().first == "--model" else {
    print("usage: simulation COUNT | FIRST-LAST [--model FILE]")
    exit(64)
}
let seeds = words.count == 2 ? words[0]..<max(words[0], last) + 1 : 0..<last
let clock = ContinuousClock()
let start = clock.now
let failures: [String]
if let table {
    let found = await Simulations.failures(of: seeds, against: table)
    failures = found.failures
    print("model: of \(table.events.count) events \(found.unseen.count) never happened: \(found.unseen)")
} else {
    failures = await Simulations.failures(of: seeds)
}
for failure in failures { print(failure) }
print("simulation: \(seeds.count) schedules in \(start.duration(to: clock.now)): \(failures.count) failed")
exit(failures.isEmpty ? 0 : 1)
