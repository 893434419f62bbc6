internal import ArgumentParser
internal import Foundation

/// Runs each target in a process of its own, so that one that traps tells which input it was.
@main
struct Fuzz: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Gives mutants of the corpus to readers; a trap, a hang or a slow input is a failure.",
        discussion: "Targets: " + FuzzTarget.all.map(\.name).joined(separator: ", "))

    @Argument(help: "What reads; all by default.")
    var targets: [String] = []

    @Option(help: "How long each target runs.")
    var seconds = 60

    @Option(help: "The same mutants for the same seed; another one each time by default.")
    var seed = UInt64.random(in: 1...999_999)

    @Option(help: "Read one file once, as the one target does.")
    var replay: String?

    @Option(help: "Where inputs that failed are left.")
    var folder = ".build/fuzz"

    /// Whether this is the process of one target.
    @Flag(help: .hidden)
    var alone = false

    func run() async throws {
        let chosen = try targets.map { name in
            guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
                throw ValidationError("there is no target '\(name)'")
            }
            return target
        }
        if let replay {
            guard let target = chosen.first, chosen.count == 1 else { throw ValidationError("name the one target") }
            let time = try await FuzzRun(target: target, seed: seed, file: replay).replay()
            print("\(target.name): \(Int(time * 1000)) ms of a processor")
        } else if alone, let target = chosen.first {
            let run = FuzzRun(target: target, seed: seed, file: file(of: target))
            print("\(target.name): \(try await run.run(for: .seconds(seconds))) inputs in \(seconds) s, seed \(seed)")
        } else {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            var areFine = true
            for target in chosen.isEmpty ? FuzzTarget.all : chosen where try await !succeeds(target) { areFine = false }
            if !areFine { throw ExitCode.failure }
        }
    }

    private func file(of target: FuzzTarget) -> String { "\(folder)/\(target.name)-\(seed)" }

    private func succeeds(_ target: FuzzTarget) async throws -> Bool {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [
            target.name, "--alone", "--seconds", "\(seconds)", "--seed", "\(seed)", "--folder", folder,
        ]
        try await process.runToEnd()
        if process.terminationReason == .exit, process.terminationStatus == 0 { return true }
        let failure =
            process.terminationReason == .exit
            ? "exit status \(process.terminationStatus)"
            : process.terminationStatus == SIGALRM ? "hang" : "trap, signal \(process.terminationStatus)"
        print("\(target.name): \(failure), seed \(seed); again: fuzz \(target.name) --replay \(file(of: target))")
        return false
    }
}

extension Process {
    /// Runs it; `waitUntilExit` can miss the end of a process when it does not wait on the main thread.
    func runToEnd() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        terminationHandler = { _ in end.finish() }
        try run()
        for await _ in ends {}
    }
}

extension FuzzTarget {
    /// The files that a shell's script makes in a folder of its own, in the order of their names.
    static func made(by script: String) async throws -> [[UInt8]] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", script]
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try await process.runToEnd()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap {
            FileManager.default.contents(atPath: folder.appendingPathComponent($0).path).map { [UInt8]($0) }
        }
    }
}
