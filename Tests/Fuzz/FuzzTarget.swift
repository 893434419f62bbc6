/// One reader of what others write.
struct FuzzTarget: Sendable {
    /// Its name, which is that of its folder in the corpus too.
    let name: String
    /// The folders and files of `Sources` that read, of which `.ci/fuzz` says how much the corpus covers.
    let sources: [String]
    /// Texts that mean something to the reader.
    var words: [String] = []
    /// Seconds of a processor that any input may take; what grows with the input comes on top.
    var allowance = 0.02
    /// Makes what the reader needs, and inputs to begin with that the repository should not have.
    let prepare: @Sendable () async throws -> Prepared

    /// What reads an input, and inputs made at the start.
    struct Prepared: Sendable {
        var inputs: [[UInt8]] = []
        let read: @Sendable ([UInt8]) async -> Void
    }

    /// All of them.
    static let all: [FuzzTarget] = [
        .yaml, .workspace, .json, .plan, .snapshot, .ledger, .answers, .routes, .catalog, .credentials, .archives,
        .frames,
    ]

    /// A reader that needs nothing.
    init(
        _ name: String, _ sources: [String], words: [String] = [], allowance: Double = 0.02,
        read: @escaping @Sendable ([UInt8]) async -> Void
    ) {
        self.init(
            name: name, sources: sources, words: words, allowance: allowance, prepare: { Prepared(read: read) })
    }

    init(
        name: String, sources: [String], words: [String] = [], allowance: Double = 0.02,
        prepare: @escaping @Sendable () async throws -> Prepared
    ) {
        (self.name, self.sources, self.words, self.allowance) = (name, sources, words, allowance)
        self.prepare = prepare
    }

    /// The words, and what stands out anywhere, as libFuzzer reads them: a quoted word a line, here in hexadecimal.
    var dictionary: String {
        ((words + Self.marks + Self.numbers).map { Array($0.utf8) } + Self.brokenUTF8)
            .map { bytes in
                "\"" + bytes.map { "\\x" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "\"\n"
            }.joined()
    }

    private static let numbers = [
        "-1", "1e9", "1e309", "-1e309", "1e-400", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "4294967296", "9007199254740993",
        "0.1", "00", "99999999999999999999999",
    ]
    private static let marks = [
        "\r\n", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{202E}", "e\u{301}", "👩‍👧", "null", "true", "{}", "[]", "\\u0000",
        "\\ud800", "%00", "$",
    ]
    private static let brokenUTF8: [[UInt8]] = [
        [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE4],
    ]
}

extension FuzzTarget {
    /// Ends the process when what was read, and then written, is not read as the same.
    static func mustRead<Value: Equatable>(_ value: Value, _ readAgain: () throws -> Value?) {
        let again = try? readAgain()
        if again != value { fatalError("another once it is written: \(value), then \(String(describing: again))") }
    }
}
