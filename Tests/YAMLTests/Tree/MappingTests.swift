import Base
import Testing
import YAML

@Suite struct MappingTests {
    @Test func entriesComeInTheOrderOfTheFile() throws {
        let node = try root("b: 1\na: {z: 1, y: [2, {q: 1}]}\nc: 3\n")
        #expect(node.keys == ["b", "a", "c"])
        #expect(node.count == 3)
        #expect(node["a"]?.keys == ["z", "y"])
        #expect(node["c"]?.scalar == .integer(3))
        #expect(node["z"] == nil)
        #expect(node["b"]?["x"] == nil)
        #expect(node["a"]?.entry(named: "y")?.key.place == "2:11-2:12")
    }

    @Test func elementsComeInTheOrderOfTheFile() throws {
        let node = try root("[1, [2, 3], {a: 4}, 5]")
        #expect(node.count == 4)
        #expect(node.elements.map(\.kind) == [.scalar, .sequence, .mapping, .scalar])
        #expect(node[3]?.scalar == .integer(5))
        #expect(node[4] == nil)
        #expect(node[-1] == nil)
        #expect(node["a"] == nil)
        #expect(Array(node.entries).isEmpty)
        #expect(try Array(root("{a: 1}").elements).isEmpty)
        #expect(try root("{a: 1}")[0] == nil)
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3\n", ["3:1 duplicate-key duplicate key 'a' (first here 1:1)"]),
        ("{a: 1, 'a': 2}", ["1:8 duplicate-key duplicate key 'a' (first here 1:2)"]),
        ("x:\n  漢: 1\n  \"\\u6F22\": 2\n", ["3:3 duplicate-key duplicate key '漢' (first here 2:3)"]),
        (
            "a: 1\na: 2\nb: 1\na: 3\nb: 2\n",
            [
                "2:1 duplicate-key duplicate key 'a' (first here 1:1)",
                "4:1 duplicate-key duplicate key 'a' (first here 1:1)",
                "5:1 duplicate-key duplicate key 'b' (first here 3:1)",
            ]
        ),
        ("1: a\n'1': b\n", ["2:1 duplicate-key duplicate key '1' (first here 1:1)"]),
        ("{\"a\\nb\": 1, \"a\\nb\": 2}", ["1:13 duplicate-key duplicate key 'a\\u000Ab' (first here 1:2)"]),
        ("<<: {a: 1}\n<<: {b: 1}\n", ["2:1 duplicate-key duplicate key '<<' (first here 1:1)"]),
        ("'<<': 1\n\"<<\": 2\n", ["2:1 duplicate-key duplicate key '<<' (first here 1:1)"]),
    ])
    func aDuplicateKeyNamesTheFirst(_ text: String, _ expected: [String]) {
        let (documents, faults) = read(text)
        #expect(faults == expected)
        #expect(documents.count == 1)
    }

    @Test func aDuplicateHasTheRangesOfBothKeys() throws {
        let diagnostic = try #require(DocumentParser.parse(Array("key: 1\nkey: 2".utf8), file: "f").diagnostics.first)
        #expect(diagnostic.severity == .error)
        let first = SourceRange(
            file: "f", start: SourcePosition(line: 1, column: 1), end: SourcePosition(line: 1, column: 4))
        let second = SourceRange(
            file: "f", start: SourcePosition(line: 2, column: 1), end: SourcePosition(line: 2, column: 4))
        #expect(diagnostic.range == second)
        #expect(diagnostic.related == [RelatedPlace("first here", at: first)])
    }

    @Test func theFirstOfDuplicatesStays() throws {
        let node = try #require(read("a: 1\nb: 2\na: 3\n").documents.first).root
        #expect(node.keys == ["a", "b"])
        #expect(node["a"]?.scalar == .integer(1))
        #expect(node.count == 2)
    }

    @Test func keysOfDifferentMappingsAreNoDuplicates() throws {
        #expect(try root("a: {a: 1}\nb: [{a: 1}, {a: 1}]\n").keys == ["a", "b"])
        // Composed and decomposed: other bytes, another key.
        #expect(try root("\u{E9}: 1\ne\u{301}: 2\n").count == 2)
    }

    @Test func duplicatesAmongManyKeysAreFoundInOrder() {
        var lines = (0..<2000).map { "key\($0 * 7 % 2000): \($0)" }
        lines += ["key5: x", "<<: {}", "key3: x", "key5: y", "[]: z"]
        let faults = read(lines.joined(separator: "\n")).faults
        #expect(
            faults == [
                "2005:1 wrong-type a key must be a string, but found a sequence",
                "2001:1 duplicate-key duplicate key 'key5' (first here \(line(5)):1)",
                "2003:1 duplicate-key duplicate key 'key3' (first here \(line(3)):1)",
                "2004:1 duplicate-key duplicate key 'key5' (first here \(line(5)):1)",
            ])
        func line(_ number: Int) -> Int { (0..<2000).first { $0 * 7 % 2000 == number }.map { $0 + 1 } ?? 0 }
    }

    @Test(arguments: [
        ("null: 1", "null"), ("~: 1", "~"), ("12: 1", "12"), ("true: 1", "true"), (".nan: 1", ".nan"),
        ("0x1f: 1", "0x1f"),
        ("? \n: 1", ""), ("!!int 3: 1", "3"), ("99999999999999999999: 1", "99999999999999999999"),
    ])
    func keysAreTakenAsTheirText(_ text: String, _ key: String) throws {
        let node = try root(text)
        #expect(node.keys == [key])
        #expect(node[key]?.scalar == .integer(1))
    }

    @Test(arguments: [
        ("? [a, b]\n: 1\nc: 2\n", "1:3 wrong-type a key must be a string, but found a sequence"),
        ("? {a: b}\n: 1\nc: 2\n", "1:3 wrong-type a key must be a string, but found a mapping"),
        ("{[a]: 1, c: 2}", "1:2 wrong-type a key must be a string, but found a sequence"),
        ("x: &x [1]\n*x : 1\nc: 2\n", "2:1 wrong-type a key must be a string, but found a sequence"),
        ("x: &x {}\n*x : 1\nc: 2\n", "2:1 wrong-type a key must be a string, but found a mapping"),
    ])
    func aKeyThatIsACollectionIsReportedAndLeftOut(_ text: String, _ fault: String) throws {
        let (documents, faults) = read(text)
        #expect(faults == [fault])
        #expect(documents.first?.root["c"]?.scalar == .integer(2))
        #expect(documents.first?.root.keys.contains("?") == false)
    }

    @Test func aKeyMayBeAnAliasOfAString() throws {
        let node = try root("a: &x name\n*x : 1\n")
        #expect(node["name"]?.scalar == .integer(1))
        #expect(read("a: &x a\n*x : 1\n").faults == ["2:1 duplicate-key duplicate key 'a' (first here 1:1)"])
    }

    @Test func aLongKeyIsCutInTheMessage() {
        let key = String(repeating: "漢", count: 300)
        let faults = read("? \(key)\n: 1\n? \(key)\n: 2\n").faults
        let cut = String(repeating: "漢", count: 100)
        #expect(faults == ["3:3 duplicate-key duplicate key '\(cut)…' (first here 1:3)"])
    }
}
