import Base
import Testing
import YAML

@Suite struct AliasTests {
    @Test func anAliasIsTheValueOfItsAnchor() throws {
        let node = try root("a: &x [1, {b: 2}]\nc: *x\nd: &y 5\ne: [*y, *x]\n")
        #expect(node["c"]?.kind == .sequence)
        #expect(node["c"]?[1]?["b"]?.scalar == .integer(2))
        #expect(node["e"]?[0]?.scalar == .integer(5))
        #expect(node["e"]?[1]?[0]?.scalar == .integer(1))
    }

    @Test func theLatestAnchorOfANameCounts() throws {
        let node = try root("[&a 1, *a, &a 2, *a, &b [&b 3, *b]]")
        #expect(node[1]?.scalar == .integer(1))
        #expect(node[3]?.scalar == .integer(2))
        #expect(node[4]?[1]?.scalar == .integer(3))
    }

    @Test(arguments: [
        ("a: *nope\n", "1:4 unknown-alias alias '*nope' has no anchor before it"),
        ("a: *x\nb: &x 1\n", "1:4 unknown-alias alias '*x' has no anchor before it"),
        ("--- &x 1\n--- *x\n", "2:5 unknown-alias alias '*x' has no anchor before it"),
        ("a: &x [1, *x]\n", "1:11 unknown-alias alias '*x' is inside its own anchor"),
        ("&x a: {b: {c: *x}}\n", nil),
        ("--- &x\na: *x\n", "2:4 unknown-alias alias '*x' is inside its own anchor"),
        ("*x : 1\n", "1:1 unknown-alias alias '*x' has no anchor before it"),
        ("<<: *x\n", "1:5 unknown-alias alias '*x' has no anchor before it"),
        ("a: &x\n  <<: *x\n", "2:7 unknown-alias alias '*x' is inside its own anchor"),
    ])
    func anAliasWithoutItsAnchorIsReported(_ text: String, _ fault: String?) {
        #expect(read(text).faults == (fault.map { [$0] } ?? []))
    }

    @Test func suchAValueIsInvalid() throws {
        let (documents, faults) = read("a: *x\nb: &y !z 1\nc: *y\n*x : 1\n")
        #expect(faults.count == 3)
        let node = try #require(documents.first).root
        #expect(node["a"]?.isInvalid == true)
        #expect(node["c"]?.isInvalid == true)
        #expect(node.keys == ["a", "b", "c"])
    }

    @Test func anAliasOfAnInvalidValueHasNoTextHoweverManyNodesAreBefore() throws {
        let lists = String(repeating: "[], ", count: 500)
        let (documents, faults) = read("[\(lists)&y !z 1, *y]\n")
        #expect(faults.count == 1)
        let root = try #require(documents.first).root
        let alias = try #require(root[501])
        #expect(alias.scalar == .invalid && alias.utf8?.isEmpty == true)
        var more: [Diagnostic] = []
        #expect(root.json(reportingTo: &more).array?.count == 502 && more.isEmpty)
    }
}

@Suite struct MergeTests {
    @Test func explicitKeysWin() throws {
        let node = try root("base: &b {x: 1, y: 2}\nc:\n  x: 9\n  <<: *b\n  z: 3\n")
        let merged = try #require(node["c"])
        #expect(merged.keys == ["x", "y", "z"])
        #expect(merged.count == 3)
        #expect(merged["x"]?.scalar == .integer(9))
        #expect(merged["y"]?.scalar == .integer(2))
        #expect(merged["<<"] == nil)
    }

    @Test func aKeyAfterTheMergeWinsToo() throws {
        #expect(try root("<<: {x: 1, y: 2}\nx: 9\n").keys == ["y", "x"])
        #expect(try root("<<: {x: 1, y: 2}\nx: 9\n")["x"]?.scalar == .integer(9))
    }

    @Test func aMergedKeyKeepsItsOwnPlace() throws {
        let node = try root("base: &b\n  y: 2\nc:\n  <<: *b\n")
        let entry = try #require(node["c"]?.entry(named: "y"))
        #expect(entry.key.place == "2:3-2:4")
        #expect(entry.value.place == "2:6-2:7")
    }

    @Test func inASequenceTheEarlierMappingWins() throws {
        let node = try root("<<: [{a: 1, b: 1}, {b: 2, c: 2}]\nd: 4\n")
        #expect(node.keys == ["a", "b", "c", "d"])
        #expect(node["b"]?.scalar == .integer(1))
    }

    @Test func mergesOfMergesAreResolved() throws {
        let node = try root("a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b, z: 3}\nd: {<<: [*b, *a]}\n")
        #expect(node["c"]?.keys == ["x", "y", "z"])
        #expect(node["d"]?.keys == ["x", "y"])
    }

    @Test func aSequenceMayBeAnAlias() throws {
        #expect(try root("a: &a [{x: 1}, {y: 2}]\nb: {<<: *a}\n")["b"]?.keys == ["x", "y"])
    }

    @Test(arguments: ["'<<': {a: 1}", "\"<<\": {a: 1}", "!!str <<: {a: 1}"])
    func onlyThePlainKeyMerges(_ text: String) throws {
        #expect(try root(text).keys == ["<<"])
    }

    @Test(arguments: [
        ("<<: 1", "1:5 invalid-merge '<<' needs a mapping or a sequence of mappings, but found an integer"),
        ("<<:", "1:4 invalid-merge '<<' needs a mapping or a sequence of mappings, but found null"),
        ("<<: [{a: 1}, x]", "1:14 invalid-merge '<<' needs a mapping or a sequence of mappings, but found a string"),
        ("<<: [[{a: 1}]]", "1:6 invalid-merge '<<' needs a mapping or a sequence of mappings, but found a sequence"),
        ("a: &a 1\n<<: *a", "2:5 invalid-merge '<<' needs a mapping or a sequence of mappings, but found an integer"),
    ])
    func onlyMappingsMerge(_ text: String, _ fault: String) {
        #expect(read(text).faults == [fault])
    }

    @Test func aDuplicateIsNotMergedFurther() throws {
        let (documents, faults) = read("a: &a {x: 1, x: 2}\nb: {<<: *a, y: 1}\n")
        #expect(faults == ["1:14 duplicate-key duplicate key 'x' (first here 1:8)"])
        #expect(documents.first?.root["b"]?["x"]?.scalar == .integer(1))
    }
}
