import Base
import Testing
import YAML

/// What the canonical layout is: each text with what becomes of it.
@Suite struct YAMLLayoutTests {
    @Test(arguments: [
        ("a:   1\nb :  2", "a: 1\nb: 2\n"),
        ("  a: 1\n  b: 2\n", "a: 1\nb: 2\n"),
        ("a:\n      b: 1\n      c:\n       d: 2\n", "a:\n  b: 1\n  c:\n    d: 2\n"),
        ("a:\n- 1\n-   2\n", "a:\n  - 1\n  - 2\n"),
        ("-   a: 1\n    b: 2\n-\n    c: 3\n", "- a: 1\n  b: 2\n-\n  c: 3\n"),
        ("-  -   a\n   -   b\n", "- - a\n  - b\n"),
        ("a: { env :NAME , b:  [1,2 ,3] }\n", "a: {env :NAME, b: [1, 2, 3]}\n"),
        ("a: [ ]\nb: { }\n", "a: []\nb: {}\n"),
        ("a: {\"b\":1, 'c':2}\n", "a: {\"b\": 1, 'c': 2}\n"),
        ("a: [\n1,\n      2\n   ]\n", "a: [\n    1,\n    2\n  ]\n"),
        ("a:\n   [{\n b: 1}\n   ]\n", "a:\n  [{\n      b: 1}\n  ]\n"),
        ("a:\t1 \t\nb: 2\t# c\n", "a: 1\nb: 2 # c\n"),
        ("\n\n\na: 1\n\n\n\nb: 2\n\n\n", "a: 1\n\nb: 2\n"),
        ("a: 1\r\nb: |\r\n   x\r\n\r\n   y\r\n", "a: 1\nb: |\n  x\n\n  y\n"),
        ("\u{FEFF}a:  1", "\u{FEFF}a: 1\n"),
        ("--- \na: 1\n---   # c\nb: 2\n...\n", "---\na: 1\n---   # c\nb: 2\n...\n"),
        ("%YAML 1.2  # c\n---\na: 1\n", "%YAML 1.2  # c\n---\na: 1\n"),
        ("?   a\n:   b\n", "? a\n: b\n"),
        ("&x   a :  !!str   &y  1\nb:  *y\n*y :  2\n", "&x a: !!str &y 1\nb: *y\n*y : 2\n"),
        ("a: &m\n     <<:   {b: 1}\n     c: 2\n", "a: &m\n  <<: {b: 1}\n  c: 2\n"),
        ("a:\n    one\n      two\n\n    three\n", "a:\n  one\n  two\n\n  three\n"),
        ("a: 'one\n        two'\nb: 1\n", "a: 'one\n  two'\nb: 1\n"),
        ("a: \"one \\\n        two  \n   three\\ \n   \"\n", "a: \"one \\\n  two\n  three\\ \n  \"\n"),
        ("", ""), ("\n \n", ""), ("# c", "# c\n"), ("   # c\n\n\n# d", "# c\n\n# d\n"),
    ])
    func whiteSpaceBetweenValuesIsCanonical(_ before: String, _ after: String) { Self.expect(before, after) }

    @Test(arguments: [
        ("a: |\n      x\n        y  \n\n      z\nb: 1\n", "a: |\n  x\n    y  \n\n  z\nb: 1\n"),
        ("a:\n    b: |4\n          x\n", "a:\n  b: |4\n        x\n"),
        ("a: |1\n  x\n", "a: |1\n  x\n"),
        ("a: >-   # c\n   x\n\n\n\nb: 1\n", "a: >-   # c\n  x\n\nb: 1\n"),
        ("a: >#c\n   x\n", "a: > #c\n  x\n"),
        ("a: |+\n    x\n\n\n\nb: 1\n", "a: |+\n  x\n\n\n\nb: 1\n"),
        ("a: |+\n    x\n\n\n", "a: |+\n  x\n\n\n"),
        ("a: |\n    x", "a: |\n  x"), ("a: |+\n    x", "a: |+\n  x"), ("a: |-\n    x", "a: |-\n  x\n"),
        ("a: |\n\n\n      x\n", "a: |\n\n\n  x\n"),
        ("a: |\n   # x\n# y\nb: 1\n", "a: |\n  # x\n# y\nb: 1\n"),
        ("-   |\n  x\n-   - |\n     y\n", "- |\n  x\n- - |\n    y\n"),
        ("--- |\n text\n", "--- |\n  text\n"), ("--- |1\n text\n", "--- |1\n text\n"),
        ("a: |\nb: |+\n\n\nc: 1\n", "a: |\nb: |+\n\n\nc: 1\n"),
    ])
    func whatABlockSaysIsKept(_ before: String, _ after: String) { Self.expect(before, after) }

    @Test(arguments: [
        ("a:   1   # one\nbb: 2    # two\n", "a: 1     # one\nbb: 2    # two\n"),
        ("a: {b: 1,c: 2} # x\n", "a: {b: 1, c: 2} # x\n"),
        (
            "# top\na:\n      # first of a\n      b: 1\n      # last of a\n# before c\nc: 2\n     # end\n",
            "# top\na:\n  # first of a\n  b: 1\n  # last of a\n# before c\nc: 2\n# end\n"
        ),
        ("a:\n    # of nothing\nb: 1\n", "a:\n  # of nothing\nb: 1\n"),
        (
            "a:\n    b:\n        - 1\n        # of the list\n    # of b\n# of a\n---\nc: 1\n",
            "a:\n  b:\n    - 1\n    # of the list\n  # of b\n# of a\n---\nc: 1\n"
        ),
        ("a: [\n# x\n1, # y\n  ]\n", "a: [\n    # x\n    1, # y\n  ]\n"),
        ("a:   # why\n      b\n", "a:   # why\n  b\n"),
        ("- 1\n  # deep\n- 2\n", "- 1\n# deep\n- 2\n"),
        ("a: 1 #  spaces in it stay  \n", "a: 1 #  spaces in it stay\n"),
    ])
    func commentsStayWithWhatTheyStoodBy(_ before: String, _ after: String) { Self.expect(before, after) }

    @Test(arguments: [
        ("a: [1\nb: 2\n", "yaml-syntax"), ("a: 1\na: 2\n", "duplicate-key"), ("a: *b\n", "unknown-alias"),
        ("a: \u{85}\n", "line-break"),
    ])
    func whatCannotBeReadIsRefused(_ text: String, _ code: String) {
        guard case .refused(let diagnostics) = YAMLLayout(file: "a.yaml").lay(out: Array(text.utf8)) else {
            Issue.record("it is laid out")
            return
        }
        #expect(diagnostics.first?.code.rawValue == code)
        #expect(diagnostics.first?.range?.file == "a.yaml")
    }

    @Test func whatWouldSaySomethingElseIsRefusedAtItsPlace() {
        // At the first column it would end the document.
        let text = "  --- a\n"
        guard case .refused(let diagnostics) = YAMLLayout(file: "a.yaml").lay(out: Array(text.utf8)) else {
            Issue.record("it is laid out")
            return
        }
        #expect(diagnostics.map(\.code) == [.layout])
    }

    @Test func theDeepestAndTheLargestFilesAreLaidOut() {
        let deep = (0..<64).map { String(repeating: "   ", count: $0) + "k:\n" }.joined()
        let flow = "a: " + String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        let wide = "a: [" + Array(repeating: "b", count: 90_000).joined(separator: " ,") + "]"
        for text in [deep, flow, wide] {
            guard case .laidOut(let result) = YAMLLayout(file: "x").lay(out: Array(text.utf8)) else {
                Issue.record("\(text.prefix(20)) is refused")
                continue
            }
            #expect(Layout.dense(result) == Layout.dense(Array(text.utf8)))
            #expect(YAMLLayout(file: "x").lay(out: result) == .laidOut(result))
        }
    }

    private static func expect(_ text: String, _ after: String) {
        let layout = YAMLLayout(file: "x")
        let before = Array(text.utf8)
        guard case .laidOut(let result) = layout.lay(out: before) else {
            Issue.record("\(text) is refused")
            return
        }
        #expect(String(decoding: result, as: UTF8.self) == after)
        #expect(layout.lay(out: result) == .laidOut(result))
        #expect(Layout.values(of: result) == Layout.values(of: before))
    }

    // This once took a minute: each comment looked for what follows it.
    @Test func tensOfThousandsOfCommentsAreLaidOutInOneGo() {
        let text = "a:\n" + String(repeating: "      # c\n", count: 40_000) + "      b: 1\n"
        let wanted = "a:\n" + String(repeating: "  # c\n", count: 40_000) + "  b: 1\n"
        guard case .laidOut(let bytes) = YAMLLayout(file: "a.yaml").lay(out: Array(text.utf8)) else {
            Issue.record("it was refused")
            return
        }
        #expect(bytes == Array(wanted.utf8))
    }
}
