import Base
import Testing
import YAML

/// Files that nobody would write by hand.
@Suite struct GeneratedLayoutTests {
    @Test func aThousandFilesSayTheSameInTheirNewLayout() throws {
        var readable = 0
        var seed: UInt64 = 0
        while readable < 1000 {
            let text = NastyFile.text(seed)
            seed += 1
            let bytes = Array(text.utf8)
            guard DocumentParser.parse(bytes, file: "x").diagnostics.isEmpty else { continue }
            readable += 1
            guard case .laidOut(let result) = YAMLLayout(file: "x").lay(out: bytes) else {
                Issue.record("seed \(seed - 1) is refused:\n\(text)")
                continue
            }
            let shown = "seed \(seed - 1):\n\(text)\n→\n\(String(decoding: result, as: UTF8.self))"
            #expect(Layout.values(of: result) == Layout.values(of: bytes), "\(shown)")
            #expect(Layout.dense(result) == Layout.dense(bytes), "\(shown)")
            #expect(YAMLLayout(file: "x").lay(out: result) == .laidOut(result), "\(shown)")
            #expect(!result.contains(0x0D) && result.first != 0x0A, "\(shown)")
        }
        #expect(seed < 2000, "most of the files can be read")
    }

    /// Whatever is laid out keeps what it says; most of what was broken is refused with a place.
    @Test func brokenFilesAreLeftAloneOrSayTheSame() {
        var laidOut = 0
        for seed in UInt64(0)..<600 {
            let bytes = Self.broken(seed)
            switch YAMLLayout(file: "x").lay(out: bytes) {
            case .laidOut(let result):
                laidOut += 1
                #expect(Layout.values(of: result) == Layout.values(of: bytes), "seed \(seed)")
                let isKept = Layout.dense(result) == Layout.dense(bytes)
                #expect(isKept, "seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
                let again = YAMLLayout(file: "x").lay(out: result)
                #expect(again == .laidOut(result), "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            case .refused(let diagnostics):
                #expect(diagnostics.allSatisfy { $0.severity == .error && $0.range != nil }, "seed \(seed)")
            }
        }
        #expect(laidOut > 60)
    }

    private static let pieces = [
        "[", "]", "{", "}", ":", ": ", ", ", "- ", "? ", "&a ", "*a ", "!!int ", "<<: ", "\n", "\r\n", "\t", "|\n", ">",
        "\"", "'", "#", " #", "%", "---\n", "...\n", "~", "\u{FEFF}", "漢", "\\", "  ", "\n\n\n", "\r",
    ].map { Array($0.utf8) }

    private static func broken(_ seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var bytes = Array(NastyFile.text(seed % 400).utf8)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...3, using: &generator))
            bytes.replaceSubrange(place..<end, with: pieces[Int.random(in: 0..<pieces.count, using: &generator)])
        }
        return bytes
    }
}

/// What the tests compare.
enum Layout {
    /// Everything that a file says, document by document.
    static func values(of bytes: [UInt8]) -> [SourceStep.Content] {
        (DocumentParser.steps(through: bytes) ?? []).map(\.content)
    }

    /// The text without white space.
    static func dense(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } }
}
