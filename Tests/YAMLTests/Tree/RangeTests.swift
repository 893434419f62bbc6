import Testing
import YAML

@Suite struct RangeTests {
    @Test func keysAndValuesKnowTheirPlaces() throws {
        let node = try root("kind: Campaign\nmessage:\n  title: \"巨人\"\n  badge: 3\n")
        let entries = Array(node.entries)
        #expect(entries.map(\.key.place) == ["1:1-1:5", "2:1-2:8"])
        #expect(entries.map(\.value.place) == ["1:7-1:15", "3:3-4:11"])
        #expect(node.place == "1:1-4:11")
        #expect(node["message"]?["title"]?.place == "3:10-3:14")
        #expect(node["message"]?["badge"]?.place == "4:10-4:11")
    }

    @Test(arguments: [
        ("日本: x", "1:5-1:6"), ("😀😀: x", "1:5-1:6"), ("e\u{301}: x", "1:5-1:6"), ("\u{FEFF}ab: x", "1:5-1:6"),
        ("{日本: x}", "1:6-1:7"), ("\"😀\": x", "1:6-1:7"), ("ab: 日本語", "1:5-1:8"), ("ab: 😀", "1:5-1:6"),
    ])
    func columnsAreUnicodeScalars(_ text: String, _ place: String) throws {
        let value = try #require(Array(try root(text).entries).first).value
        #expect(value.place == place)
    }

    @Test func columnsInLaterLinesStartAnew() throws {
        #expect(try root("\u{FEFF}a: 漢\n漢: {字: 漢字, b: 1}\n")["漢"]?["b"]?.place == "2:15-2:16")
    }

    @Test(arguments: [
        ("a: one\n  two\n\nb: 1", "1:4-2:6"), ("a: \"one\n  two\"  # c\nb: 1", "1:4-2:7"),
        ("a: |\n  one\n  two\n\n\nb: 1", "1:4-3:6"), ("a: >-\n  one\n\n  two\n# c\nb: 1", "1:4-4:6"),
        ("a: |\nb: 1", "1:4-1:5"), ("a: |+\n  漢字\n\nb: 1", "1:4-2:5"), ("a: |\r\n  one\r\n  two\r\nb: 1", "1:4-3:6"),
        ("a: |2-\n   one\n", "1:4-2:7"), ("a: |\n  last", "1:4-2:7"),
    ])
    func scalarsOfSeveralLinesEndAfterTheirLastCharacter(_ text: String, _ place: String) throws {
        #expect(try root(text)["a"]?.place == place)
    }

    @Test(arguments: [
        ("a: [1, 2]\nb: 1", "1:4-1:10"), ("a: {x: [ ]  }  \nb: 1", "1:4-1:14"), ("a: [\n  1,\n]\nb: 1", "1:4-3:2"),
        ("a:\n  - 1\n  - 22\n\n# c\nb: 1", "2:3-3:7"), ("a:\n- 1\nb: 1", "2:1-2:4"),
        ("a:\n  x: 1\n  y:\n\nb: 1", "2:3-3:5"),
        ("a:\n  - {x: 1}\n\nb: 1", "2:3-2:11"), ("a:\n  - |\n    t\n\nb: 1", "2:3-3:6"),
    ])
    func collectionsEndWhereTheirLastValueDoes(_ text: String, _ place: String) throws {
        #expect(try root(text)["a"]?.place == place)
    }

    @Test(arguments: [
        ("a: &x 12", "1:7-1:9"), ("a: !!str 12", "1:10-1:12"), ("a: &x !!str 12", "1:13-1:15"),
        ("a: &x [1]", "1:7-1:10"),
        ("a: &x\n  k: v", "2:3-2:7"), ("a: &x\n- v", "2:1-2:4"), ("a: &x # c\n  - v", "2:3-2:6"),
        ("a: &x {k: v}", "1:7-1:13"),
        ("a: &x", "1:4-1:6"), ("a: &x |\n  t\n", "1:7-2:4"), ("a: &x \"t\"", "1:7-1:10"), ("漢: &字 12", "?"),
    ])
    func anchorsAndTagsAreNoPartOfTheValue(_ text: String, _ place: String) throws {
        guard place != "?" else {
            #expect(read(text).documents.isEmpty, "libyaml allows ASCII in anchors only")
            return
        }
        #expect(try root(text)["a"]?.place == place)
    }

    @Test func aValueThatIsNotWrittenStandsAfterItsColon() throws {
        #expect(try root("a: 1\nb:\nc: 1")["b"]?.place == "2:3-2:4")
        // Without even a colon: after its key.
        #expect(try root("? a\n")["a"]?.place == "1:4-1:5")
        #expect(try root("? a\n? b")["b"]?.place == "2:4-2:5")
        #expect(try root("{a: 1, b: }")["b"]?.place == "1:11-1:12")
    }

    @Test func anAliasStandsWhereItIsWrittenAndItsChildrenWhereTheyAre() throws {
        let node = try root("a: &x {k: v}\nb: *x\n")
        #expect(node["b"]?.place == "2:4-2:6")
        #expect(node["b"]?["k"]?.place == "1:11-1:12")
    }
}
