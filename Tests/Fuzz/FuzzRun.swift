internal import BaseTesting
internal import CLibrary
internal import FoundationEssentials

/// Gives mutants to one reader until its time is over; a trap or a hang ends the process, and the input is left.
struct FuzzRun {
    let target: FuzzTarget
    let seed: UInt64
    /// The file that the input stands in while it is read.
    let file: String

    /// Seconds without an end after which a reader hangs.
    private static let patience: UInt32 = 60

    /// An input that took too long.
    struct SlowInput: Error, CustomStringConvertible {
        let bytes: Int
        let seconds: Double

        var description: String { "slow: \(bytes) bytes took \(Int(seconds * 1000)) ms of a processor" }
    }

    /// There is nothing to make mutants of: it does not run in the repository's folder.
    struct NoCorpus: Error, CustomStringConvertible { let description = "no corpus: run it in the repository's folder" }

    /// How many inputs were read.
    ///
    /// - Throws: ``SlowInput``, or what keeps the reader from being made.
    func run(for duration: Duration) async throws -> Int {
        let prepared = try await target.prepare()
        let corpus = target.corpus + prepared.inputs
        guard corpus.contains(where: { !$0.isEmpty }) else { throw NoCorpus() }
        var mutator = Mutator(corpus, words: target.words, seed: seed)
        let end = ContinuousClock.now + duration
        var count = 0
        while ContinuousClock.now < end {
            let input = mutator.next()
            try write(input)
            try await check(input, prepared)
            count += 1
        }
        alarm(0)
        try FileManager.default.removeItem(atPath: file)
        return count
    }

    /// Reads the input of a file once more; how long it took.
    func replay() async throws -> Double {
        let input = [UInt8](FileManager.default.contents(atPath: file) ?? Data())
        return await Self.time(input, try await target.prepare())
    }

    /// A time counts when it is the shortest of several.
    private func check(_ input: [UInt8], _ prepared: FuzzTarget.Prepared) async throws {
        let most = target.allowance + 0.1 * Double(input.count) / 100_000
        var seconds = await Self.time(input, prepared)
        for _ in 0..<4 where seconds > most { seconds = min(seconds, await Self.time(input, prepared)) }
        if seconds > most { throw SlowInput(bytes: input.count, seconds: seconds) }
    }

    /// The processor's time of the whole process: some readers have several threads, and nothing else runs.
    private static func time(_ input: [UInt8], _ prepared: FuzzTarget.Prepared) async -> Double {
        alarm(patience)
        let start = ProcessorTime.ofProcess
        await prepared.read(input)
        return ProcessorTime.ofProcess - start
    }

    private func write(_ input: [UInt8]) throws { try Data(input).write(to: URL(fileURLWithPath: file)) }
}
