internal import BaseTesting
internal import CLibrary

/// One target that is ready to read.
struct FuzzRun: Sendable {
    let target: FuzzTarget
    private let prepared: FuzzTarget.Prepared

    /// Seconds without an end after which a reader hangs.
    static let patience: UInt32 = 60

    init(target: FuzzTarget) async throws {
        (self.target, prepared) = (target, try await target.prepare())
    }

    /// What was made at the start to begin with.
    var inputs: [[UInt8]] { prepared.inputs }

    /// Reads an input, and ends the process when that takes too long. A time counts when it is the shortest of several.
    func check(_ input: [UInt8]) async {
        let most = target.allowance + 0.1 * Double(input.count) / 100_000
        var seconds = await time(input)
        for _ in 0..<4 where seconds > most { seconds = min(seconds, await time(input)) }
        if seconds > most { fatalError("slow: \(input.count) bytes took \(Int(seconds * 1000)) ms of a processor") }
    }

    /// The processor's time of the whole process: some readers have several threads, and nothing else runs.
    func time(_ input: [UInt8]) async -> Double {
        alarm(Self.patience)
        let start = ProcessorTime.ofProcess
        await prepared.read(input)
        alarm(0)
        return ProcessorTime.ofProcess - start
    }
}
