import Base
import Testing
import YAML

@Suite struct JSONTests {
    @Test func scalarsAliasesAndMergesAreResolved() throws {
        let text = """
            base: &b {x: 1, y: [a, ~, true, 1.5, 0x1f, '7', no]}
            merged: {<<: *b, x: 2}
            alias: *b
            12: null
            text: |
              漢字
            """
        var faults: [Diagnostic] = []
        let list: JSONValue = ["a", nil, true, 1.5, 31, "7", "no"]
        #expect(
            try root(text).json(reportingTo: &faults) == [
                "base": ["x": 1, "y": list], "merged": ["x": 2, "y": list], "alias": ["x": 1, "y": list], "12": nil,
                "text": "漢字",
            ])
        #expect(faults == [])
    }

    @Test func anIntegerBeyond64BitsIsReported() throws {
        var faults: [Diagnostic] = []
        let node = try root("a: [1, 18446744073709551616]")
        #expect(node.json(reportingTo: &faults) == ["a": [1, nil]])
        #expect(faults.map(describe) == ["1:8 invalid-value integer '18446744073709551616' does not fit 64 bits"])
    }

    @Test func whatIsInvalidIsNull() throws {
        let document = try #require(read("[.inf, *x, !y z]").documents.first)
        var faults: [Diagnostic] = []
        #expect(document.root.json(reportingTo: &faults) == [nil, nil, nil])
        #expect(faults == [])
    }
}
