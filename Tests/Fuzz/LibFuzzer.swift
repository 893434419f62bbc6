internal import Base
internal import Dispatch
internal import Foundation
internal import Synchronization

/// libFuzzer, of which a build other than that of `.ci/fuzz` has nothing.
enum LibFuzzer {
    private typealias Reader = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private typealias Driver =
        @convention(c) (UnsafeMutablePointer<CInt>, UnsafeMutablePointer<Arguments>, Reader) -> CInt
    fileprivate typealias Mutation = @convention(c) (UnsafeMutablePointer<UInt8>, Int, Int) -> Int

    fileprivate static let mutate = function("LLVMFuzzerMutate", as: Mutation.self)
    fileprivate static let current = Mutex<FuzzRun?>(nil)

    /// Where it keeps what it makes: dictionaries, what it found, and inputs that cover more than the corpus.
    private static let folder = ".build/fuzz/"

    /// Gives inputs to a target, as the command line says.
    static func run(_ run: FuzzRun) throws -> CInt {
        let name = run.target.name
        current.withLock { $0 = run }
        for (number, input) in run.inputs.enumerated() {
            try Data(input).write(to: URL(fileURLWithPath: folder + "corpus/\(name)/made-\(number)"))
        }
        let dictionary = folder + name + ".dict"
        try Data(run.target.dictionary.utf8).write(to: URL(fileURLWithPath: dictionary), options: .atomic)
        let options = [
            "-dict=" + dictionary, "-artifact_prefix=\(folder)found/\(name)-", "-timeout=\(FuzzRun.patience)",
            "-max_len=\(1 << 17)",
        ]
        let words = CommandLine.arguments.prefix(1) + options + CommandLine.arguments.dropFirst()
        let arguments = Arguments.allocate(capacity: words.count + 1)
        arguments.initialize(repeating: nil, count: words.count + 1)
        for (index, word) in words.enumerated() { arguments[index] = strdup(word) }
        var (count, pointer) = (CInt(words.count), arguments)
        return function("LLVMFuzzerRunDriver", as: Driver.self)(&count, &pointer) { bytes, count in
            let input = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
            let (run, isOver) = (LibFuzzer.current.withLock { $0 }, DispatchSemaphore(value: 0))
            Task.detached {
                await run?.check(input)
                isOver.signal()
            }
            isOver.wait()
            return 0
        }
    }

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
        guard let place = dlsym(dlopen(nil, RTLD_NOW), name) else {
            fatalError("it is built without libFuzzer: .ci/fuzz")
        }
        return unsafeBitCast(place, to: type)
    }
}

/// What libFuzzer's own mutations do not come to within minutes: something deep, and the same thing very often.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: CUnsignedInt) -> Int {
    var source = SeededGenerator(seed: UInt64(seed))
    guard Int.random(in: 0..<200, using: &source) == 0 else { return LibFuzzer.mutate(bytes, count, most) }
    var mutant = Array(UnsafeBufferPointer(start: bytes, count: count))
    let start = Int.random(in: 0...count, using: &source)
    let piece = Array(mutant[start...].prefix(Int.random(in: 0...40, using: &source)))
    // Of each order of magnitude as many.
    let times = 1 << Int.random(in: 1...17, using: &source)
    func repeated(_ unit: [UInt8], in room: Int) -> [UInt8] {
        Array(repeatElement(unit, count: min(times, max(0, room) / max(1, unit.count))).joined())
    }
    if piece.isEmpty || Bool.random(using: &source) {
        let (open, close) = brackets.randomElement(using: &source) ?? ("", "")
        let halves = [open, close].map { repeated(Array($0.utf8), in: (most - count) / 2) }
        mutant.replaceSubrange(start..<start + piece.count, with: halves[0] + piece + halves[1])
    } else {
        mutant.insert(contentsOf: repeated(piece, in: most - count), at: start)
    }
    bytes.update(from: mutant, count: mutant.count)
    return mutant.count
}

private let brackets = [
    ("[", "]"), ("{\"a\":", "}"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("(", ")"), ("[[],", "]"), ("&a [", "]"),
    ("{\"$or\":[", "]}"), ("{\"$and\":[", "]}"), ("\"", "\""), ("\\", ""),
]
