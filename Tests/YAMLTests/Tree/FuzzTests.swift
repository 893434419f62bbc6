import Base
import Testing
import YAML

@Suite struct FuzzTests {
    private static let seedText = """
        %YAML 1.2
        ---
        kind: Campaign
        name: &name giants-score   # 名字
        audience:
          channels: [巨人队, "老虎队", 'it''s']
          where: &where {scores: true, level: {$gte: 0x1f}}
          <<: [*where, {a: 1}]
        message: !!map
          title: 😀 *name
          body: |-
            今晚的比赛
              indented

          other: >
            folded
            text
          data: {<<: *where, x: ~, y: [1, 2.5, -7, 1e3], ? k : v}
        *name : &late [&x 1, *x, [], {}]
        ---
        - !!str 12
        - "\\u6F22\\x41"
        -
          - nested
        ...
        """
    private static let pieces: [[UInt8]] =
        [
            "[", "]", "{", "}", ":", ": ", ", ", "- ", "? ", "&a ", "*a ", "!!int ", "!x ", "<<: ", "\n", "\r\n", "\t",
            "|\n",
            ">", "\"", "'", "#", " #", "%", "---\n", "...\n", "~", ".inf", "\u{FEFF}", "\u{85}", "\u{2028}", "漢", "😀",
            "\\", "\0",
        ].map { Array($0.utf8) } + [[0xFF], [0xE4], [0xE4, 0xB8], [0xC0, 0x80]]

    private static func mutated(_ seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var bytes = Array(seedText.utf8)
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...12, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
            case 2: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
            case 3: bytes.removeSubrange(place...)
            default: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: place)
            }
        }
        return bytes
    }

    /// Walks everything: what is promised of every node, whatever the text.
    private static func check(_ node: Node, lines: Int) {
        #expect(node.range.start < node.range.end)
        #expect((1...lines).contains(node.range.start.line) && node.range.start.column >= 1)
        #expect((1...lines).contains(node.range.end.line))
        switch node.kind {
        case .scalar: #expect(node.scalar != nil && node.text != nil)
        case .sequence: #expect(Array(node.elements).count == node.count)
        case .mapping:
            #expect(Set(node.entries.map { Array($0.key.utf8 ?? []) }).count == node.count)
        }
        for element in node.elements { check(element, lines: lines) }
        for entry in node.entries {
            #expect(entry.key.kind == .scalar)
            check(entry.key, lines: lines)
            check(entry.value, lines: lines)
        }
    }

    @Test(arguments: 0..<20)
    func randomMutationsOfAValidFileNeverBreakAPromise(_ block: UInt64) {
        for seed in block * 500..<(block + 1) * 500 {
            let bytes = Self.mutated(seed)
            let result = DocumentParser.parse(bytes, file: "a.yaml")
            let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
            for diagnostic in result.diagnostics {
                #expect((1...lines).contains(diagnostic.range?.start.line ?? 0), "seed \(seed)")
                #expect(diagnostic.message.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "seed \(seed)")
            }
            for document in result.documents {
                Self.check(document.root, lines: lines)
                var faults: [Diagnostic] = []
                _ = document.root.json(reportingTo: &faults).canonicalBytes
            }
            #expect(!result.documents.isEmpty || !result.diagnostics.isEmpty || bytes.count < 40, "seed \(seed)")
        }
    }

    @Test func everyPrefixOfAFileIsReadOrReported() {
        let bytes = Array(Self.seedText.utf8)
        for length in 0...bytes.count {
            let result = DocumentParser.parse(Array(bytes.prefix(length)), file: "a.yaml")
            for document in result.documents { Self.check(document.root, lines: 30) }
        }
    }

    @Test func theFileItselfIsValid() {
        let (documents, faults) = read(Self.seedText)
        #expect(faults == [])
        #expect(documents.count == 2)
    }
}
