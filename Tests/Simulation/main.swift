internal import CLibrary
internal import SimulationTesting

// Runs the worlds of many seeds, optimised: `simulation COUNT`, or `simulation FIRST-LAST` for these seeds alone; with
// `--model Tests/Model/transitions.txt` what their journals do is held against the model of the protocol, too. With
// `--disk` the registry of each is on a disk with faults; one that lies is a twin, whose worlds must break a rule.
//
// Exit status 1 when a world broke a rule; its seed is printed, and a single one tells its story.

let arguments = CommandLine.arguments.dropFirst()
let words = arguments.first.map { $0.split(separator: "-").compactMap { UInt64($0) } } ?? []
let options = Array(arguments.dropFirst())
let table = options.count == 2 && options[0] == "--model" ? TransitionTable(path: options[1]) : nil
let kind = options == ["--disk"] ? "honest" : options.count == 2 && options[0] == "--disk" ? options[1] : ""
let disk = DiskHonesty(rawValue: kind)
guard let last = words.last, options.isEmpty || table != nil || disk != nil else {
    print("usage: simulation COUNT | FIRST-LAST [--model FILE | --disk [honest | lying | losesLog]]")
    exit(64)
}
let seeds = words.count == 2 ? words[0]..<max(words[0], last) + 1 : 0..<last
let clock = ContinuousClock()
let start = clock.now
let report = await Simulations.report(of: seeds, against: table, onDisk: disk)
if let table {
    print("model: of \(table.events.count) events \(report.unseen.count) never happened: \(report.unseen)")
}
for failure in report.failures { print(failure) }
for line in report.figures { print(line) }
print("simulation: \(seeds.count) schedules in \(start.duration(to: clock.now)): \(report.failures.count) failed")
exit(report.failures.isEmpty ? 0 : 1)
