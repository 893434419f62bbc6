internal import Foundation

/// Reads the corpus of every target once, as `make test` does.
///
/// `.ci/fuzz` links libFuzzer, which then has the command line: `FUZZ_TARGET=yaml fuzz FILE`.
@main
struct Fuzz {
    static func main() async throws {
        guard CommandLine.arguments.dropFirst().first != "--targets" else {
            for target in FuzzTarget.all { print(target.name, target.sources.joined(separator: " ")) }
            return
        }
        guard let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] else { return try await readCorpus() }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            fatalError("there is no target '\(name)'")
        }
        exit(try await LibFuzzer.run(FuzzRun(target: target)))
    }

    private static func readCorpus() async throws {
        for target in FuzzTarget.all {
            let run = try await FuzzRun(target: target)
            let folder = "Tests/Fuzz/Corpus/\(target.name)/"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
            let inputs =
                try files.map { (folder + $0, [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + $0)))) }
                + run.inputs.enumerated().map { ("made-\($0)", $1) }
            if inputs.isEmpty { fatalError("\(target.name) has no corpus") }
            for (name, input) in inputs {
                print(name)
                // There it stands if it ends the process.
                fflush(nil)
                _ = await run.time(input)
            }
            print("\(target.name): \(inputs.count) inputs")
        }
    }
}
