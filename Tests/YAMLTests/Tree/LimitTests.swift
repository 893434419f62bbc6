import Testing
import YAML

@Suite struct LimitTests {
    @Test func aFileOfOneMebibyteIsReadAndOneByteMoreIsNot() {
        let text = "a: 1\n#" + String(repeating: "x", count: Limits.bytes - 6)
        #expect(read(text).faults == [])
        #expect(read(text).documents.count == 1)
        let (documents, faults) = read(text + "x")
        #expect(faults == ["1:1 limit-exceeded the file is larger than 1 MiB"])
        #expect(documents.isEmpty)
        #expect(read([UInt8](repeating: 0x5B, count: 2 << 20)).faults.count == 1)
    }

    @Test func sixtyFourLevelsAreAllowed() throws {
        let opening = String(repeating: "[", count: 64)
        let closing = String(repeating: "]", count: 64)
        #expect(read(opening + closing).faults == [])
        #expect(
            read("[\(opening)\(closing)]").faults == [
                "1:65 limit-exceeded collections are nested more than 64 deep"
            ])
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "{? ["])
    func deepNestingStopsEarly(_ step: String) {
        let faults = read("x: 1\n---\n" + String(repeating: step, count: 100_000 / step.utf8.count)).faults
        #expect(faults.last?.contains("limit-exceeded collections are nested more than 64 deep") == true)
        // Where every level is a key, each is reported too.
        #expect(faults.count == 1 || step.contains("?") && faults.count <= 64)
    }

    @Test func documentsBeforeTheLimitAreKept() {
        let (documents, faults) = read("a: 1\na: 2\n---\n" + String(repeating: "[", count: 10_000))
        #expect(documents.count == 1)
        #expect(
            faults == [
                "2:1 duplicate-key duplicate key 'a' (first here 1:1)",
                "4:65 limit-exceeded collections are nested more than 64 deep",
            ])
    }

    @Test func aliasBombsStopAtTheAliasThatExceeds() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        // Levels take 11, 111, 1,111 and 11,111 nodes; the eighth alias of the fourth would pass 100,000.
        #expect(read(text).faults == ["5:45 limit-exceeded more than 100,000 nodes with all aliases expanded"])
    }

    @Test func exactlyOneHundredThousandNodesAreAllowed() {
        let text = "[" + String(repeating: "1,", count: 99_998) + "1]"
        #expect(read(text).faults == [])
        #expect(
            read("[1," + text.dropFirst()).faults == [
                "1:200000 limit-exceeded more than 100,000 nodes with all aliases expanded"
            ])
    }

    @Test func nodesOfAllDocumentsCountTogether() {
        let text = String(repeating: "--- 1\n", count: 100_001)
        let (documents, faults) = read(text)
        #expect(faults == ["100001:5 limit-exceeded more than 100,000 nodes with all aliases expanded"])
        #expect(documents.count == 100_000)
    }

    @Test func depthIsCountedThroughAliases() {
        var text = "- &a0 [x]\n"
        for level in 1...63 { text += "- &a\(level) [*a\(level - 1)]\n" }
        #expect(
            read(text).faults == [
                "64:9 limit-exceeded collections are nested more than 64 deep with all aliases expanded"
            ])
    }

    @Test func mergesCountToo() {
        let keys = (0..<1000).map { "k\($0): 1" }.joined(separator: ", ")
        let text = "a: &a {\(keys)}\nb:\n" + String(repeating: "- <<: *a\n", count: 60)
        let faults = read(text).faults
        #expect(faults == ["51:7 limit-exceeded more than 100,000 nodes with all aliases expanded"])
    }

    @Test func tooManyTagDirectivesAreNotRead() {
        let directives = (0..<80_000).map { "%TAG !a\($0)! x\n" }.joined().prefix(1 << 20)
        #expect(read(String(directives)).faults == ["101:1 limit-exceeded more than 100 %TAG directives"])
        let few = (0..<100).map { "%TAG !a\($0)! x\n" }.joined() + "---\na: 1\n"
        #expect(read(few).faults == [])
    }
}
