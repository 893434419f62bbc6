internal import CLibrary

/// The mutants of a module, all in one program: each changes one place of the sources, and at most one is chosen.
///
/// `mutate` puts this file beside the sources that it rewrites. `BUGLE_MUTANT` is the number of the chosen one;
/// `BUGLE_REACHED` names a file in which the byte of each place that ran becomes 1, in every process that has it.
enum Mutant {
    // Read once, from text that lives as long as the process.
    private static let chosen = unsafe getenv("BUGLE_MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0

    /// The bytes of the places; nil: nobody wants to know. Every access is to one byte, and to write it twice is fine.
    nonisolated(unsafe) private static let reached: UnsafeMutableRawBufferPointer? = {
        guard let path = unsafe getenv("BUGLE_REACHED") else { return nil }
        let file = unsafe open(path, O_RDWR)
        let size = Int(lseek(file, 0, SEEK_END))
        let bytes = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size)
    }()

    /// True if the mutant is the chosen one.
    static func isChosen(_ number: Int) -> Bool {
        if let reached = unsafe reached { unsafe reached[number] = 1 }
        return number == chosen
    }

    static func not(_ number: Int, _ value: Bool) -> Bool { value != isChosen(number) }

    static func both(
        _ number: Int, _ one: Bool, _ other: @autoclosure () throws -> Bool
    ) rethrows -> Bool {
        isChosen(number) ? try one || other() : try one && other()
    }

    static func either(
        _ number: Int, _ one: Bool, _ other: @autoclosure () throws -> Bool
    ) rethrows -> Bool {
        isChosen(number) ? try one && other() : try one || other()
    }

    static func less<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
        isChosen(number) ? one <= other : one < other
    }

    static func lessOrEqual<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
        isChosen(number) ? one < other : one <= other
    }

    /// Where two types of integers are compared.
    static func lessOrEqual(_ number: Int, _ one: Int, _ other: Int16) -> Bool {
        lessOrEqual(number, one, Int(other))
    }

    static func greater<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
        isChosen(number) ? one >= other : one > other
    }

    static func greaterOrEqual<Value: Comparable>(_ number: Int, _ one: Value, _ other: Value) -> Bool {
        isChosen(number) ? one > other : one >= other
    }

    static func next<Value: FixedWidthInteger>(_ number: Int, _ value: Value) -> Value {
        isChosen(number) ? value &+ 1 : value
    }

    static func word(_ number: Int, _ word: String, _ mutant: String) -> String {
        isChosen(number) ? mutant : word
    }
}
