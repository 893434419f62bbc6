import Base

/// Makes inputs that nobody thought of from those that somebody wrote; the same ones for the same seed.
struct Mutator {
    private var source: SeededGenerator
    private let corpus: [[UInt8]]
    private let words: [[UInt8]]

    /// The longest mutant, in bytes.
    static let longest = 1 << 17

    init(_ corpus: [[UInt8]], words: [String], seed: UInt64) {
        source = SeededGenerator(seed: seed)
        self.corpus = corpus
        self.words = (words + Self.marks).map { Array($0.utf8) } + Self.brokenUTF8
    }

    private enum Mutation: CaseIterable {
        case flip, change, cut, end, duplicate, splice, number, word, wrap, repetition
    }

    /// The next mutant.
    mutating func next() -> [UInt8] {
        var bytes = corpus[below(corpus.count)]
        for _ in 0...below(6) { mutate(&bytes) }
        return Array(bytes.prefix(Self.longest))
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let piece = place..<min(bytes.count, place + 1 + below(40))
        switch Mutation.allCases[below(Mutation.allCases.count)] {
        case .flip: if place < bytes.count { bytes[place] ^= 1 << UInt8(below(8)) }
        case .change: if place < bytes.count { bytes[place] = UInt8(below(256)) }
        case .cut: bytes.removeSubrange(piece)
        case .end: if below(4) == 0 { bytes.removeSubrange(place...) }
        case .duplicate: bytes.insert(contentsOf: bytes[piece], at: below(bytes.count + 1))
        case .splice:
            let other = corpus[below(corpus.count)]
            bytes.replaceSubrange(place..., with: other[below(other.count + 1)...])
        case .number: replaceNumber(&bytes, after: place)
        case .word: bytes.insert(contentsOf: words[below(words.count)], at: place)
        case .wrap: if below(4) == 0 { wrap(&bytes, piece) }
        case .repetition: if below(4) == 0 { repeatPiece(&bytes, piece) }
        }
    }

    private mutating func replaceNumber(_ bytes: inout [UInt8], after place: Int) {
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let start = bytes[place...].firstIndex(where: isDigit) else { return }
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: Self.numbers[below(Self.numbers.count)].utf8)
    }

    /// Puts a piece deep into something.
    private mutating func wrap(_ bytes: inout [UInt8], _ piece: Range<Int>) {
        let (open, close) = Self.brackets[below(Self.brackets.count)]
        let depth = 1 << below(15)
        let wrapped =
            Array(repeating: Array(open.utf8), count: depth).joined() + Array(bytes[piece])
            + Array(repeating: Array(close.utf8), count: depth).joined()
        bytes.replaceSubrange(piece, with: Array(wrapped))
    }

    private mutating func repeatPiece(_ bytes: inout [UInt8], _ piece: Range<Int>) {
        let word = words[below(words.count)]
        let unit = below(2) == 0 || piece.isEmpty ? word : Array(bytes[piece])
        let most = min(1 << below(18), Self.longest) / max(1, unit.count)
        bytes.insert(contentsOf: Array(repeating: unit, count: most).joined(), at: piece.lowerBound)
    }

    private mutating func below(_ limit: Int) -> Int { Int(source.next() % UInt64(limit)) }

    private static let numbers = [
        "0", "-1", "1e9", "1e309", "-1e309", "1e-400", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809", "18446744073709551616", "4294967296", "9007199254740993", "0.1", "00",
        "99999999999999999999999",
    ]
    private static let brackets = [
        ("[", "]"), ("{\"a\":", "}"), ("{a: ", "}"), ("- ", ""), ("? ", ""), ("(", ")"), ("[[],", "]"), ("&a [", "]"),
        ("{\"$or\":[", "]}"), ("{\"$and\":[", "]}"), ("\"", "\""), ("\\", ""),
    ]
    private static let marks = [
        "", "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "\n", "\r\n", "\t", " ", "\0", "\u{7F}", "\u{85}",
        "\u{2028}", "\u{FEFF}", "\u{202E}", "e\u{301}", "👩‍👧", "null", "true", "{}", "[]", "\\u0000", "\\ud800", "%00",
        "$",
    ]
    private static let brokenUTF8: [[UInt8]] = [
        [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE4],
    ]
}
