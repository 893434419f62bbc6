internal import Base
internal import PushReport
internal import Testing

@Suite struct DiagnosticReportTests {
    private static func range(_ file: String, _ line: Int, _ column: Int, _ endLine: Int, _ endColumn: Int)
        -> SourceRange
    {
        SourceRange(
            file: file, start: SourcePosition(line: line, column: column),
            end: SourcePosition(line: endLine, column: endColumn))
    }

    private static let sources = [
        "a.yaml": ["kind: Campaign", "  chanels: [Giants]", "日本: \t値段 x", "a: |", "  b"]
    ]

    private static let diagnostics = [
        Diagnostic(.note, .quota, "900 of 1,000 pending pushes"),
        Diagnostic(
            .error, .unknownKey, "unknown key 'chanels'", at: range("a.yaml", 2, 3, 2, 10),
            help: "did you mean 'channels'?", related: [.init("the first is here", at: range("a.yaml", 1, 1, 1, 5))]),
        Diagnostic(.warning, .portability, "wide", at: range("a.yaml", 3, 6, 3, 8)),
        Diagnostic(.error, .wrongType, "over lines", at: range("a.yaml", 4, 4, 5, 4)),
        Diagnostic(.error, .missingKey, "after the end", at: range("a.yaml", 5, 9, 5, 10)),
        Diagnostic(.error, .unreadable, "no source", at: range("b.yaml", 1, 1, 1, 2)),
    ]

    private func rendered(_ diagnostics: [Diagnostic], _ format: ReportFormat) -> String {
        let options = ReportOptions { file, line in
            guard let lines = Self.sources[file], lines.indices.contains(line - 1) else { return nil }
            return lines[line - 1]
        }
        return Report.diagnostics(diagnostics).rendered(as: format, options: options)
    }

    @Test func aLineWithASecretIsShownByNoDiagnostic() {
        let place = Self.range("a.yaml", 2, 3, 2, 10)
        let found = [
            Diagnostic(.error, .plainSecret, "masterKey is a secret", at: place),
            Diagnostic(.error, .unknownKey, "unknown key", at: place),
        ]
        #expect(rendered(found, .text).contains("2:3: error: unknown key"))
        for format in ReportFormat.allCases { #expect(!rendered(found, format).contains("Giants")) }
    }

    @Test func theTextHasTheLineOfTheSourceAndACaret() {
        #expect(
            rendered(Self.diagnostics, .text) == """
                a.yaml:2:3: error: unknown key 'chanels' [unknown-key]
                    chanels: [Giants]
                    ^~~~~~~
                  help: did you mean 'channels'?
                  a.yaml:1:1: note: the first is here
                a.yaml:3:6: warning: wide [portability]
                  日本:   値段 x
                          ^~~~
                a.yaml:4:4: error: over lines [wrong-type]
                  a: |
                     ^
                a.yaml:5:9: error: after the end [missing-key]
                    b
                     ^
                b.yaml:1:1: error: no source [unreadable]
                note: 900 of 1,000 pending pushes [quota]

                4 errors, 1 warning, 1 note

                """)
    }

    @Test func aLongLineIsCutAroundThePlace() {
        let line = String(repeating: "a", count: 500) + "XYZ" + String(repeating: "b", count: 500)
        let options = ReportOptions { _, _ in line }
        let diagnostic = Diagnostic(.error, .yamlSyntax, "x", at: Self.range("f", 1, 501, 1, 504))
        let lines = Report.diagnostics([diagnostic]).rendered(as: .text, options: options).split(separator: "\n")
        #expect(lines[1] == "  …" + String(repeating: "a", count: 60) + "XYZ" + String(repeating: "b", count: 97) + "…")
        #expect(lines[2] == "   " + String(repeating: " ", count: 60) + "^~~")
    }

    @Test func nothingToSayIsNothing() {
        #expect(rendered([], .text) == "")
        #expect(rendered([], .github) == "")
        #expect(rendered([], .json) == "{\n  \"formatVersion\": \"1.1\",\n  \"diagnostics\": []\n}\n")
    }

    @Test func theJSONHasTheMembersOfTheContract() {
        #expect(
            rendered([Self.diagnostics[2], Self.diagnostics[0]], .json) == """
                {
                  "formatVersion": "1.1",
                  "diagnostics": [
                    {
                      "severity": "warning",
                      "code": "portability",
                      "message": "wide",
                      "file": "a.yaml",
                      "line": 3,
                      "column": 6,
                      "endLine": 3,
                      "endColumn": 8,
                      "help": null
                    },
                    {
                      "severity": "note",
                      "code": "quota",
                      "message": "900 of 1,000 pending pushes",
                      "file": null,
                      "line": null,
                      "column": null,
                      "endLine": null,
                      "endColumn": null,
                      "help": null
                    }
                  ]
                }

                """)
    }

    @Test func githubGetsAnnotations() {
        #expect(
            rendered(Self.diagnostics, .github) == """
                ::error file=a.yaml,line=2,col=3,endLine=2,endColumn=10,title=unknown-key::unknown key 'chanels'%0Adid you mean 'channels'?
                ::warning file=a.yaml,line=3,col=6,endLine=3,endColumn=8,title=portability::wide
                ::error file=a.yaml,line=4,endLine=5,title=wrong-type::over lines
                ::error file=a.yaml,line=5,col=9,endLine=5,endColumn=10,title=missing-key::after the end
                ::error file=b.yaml,line=1,col=1,endLine=1,endColumn=2,title=unreadable::no source
                ::notice title=quota::900 of 1,000 pending pushes

                """)
    }

    @Test func propertiesAndDataAreEncodedAsTheRunnerDecodesThem() {
        let diagnostic = Diagnostic(.error, .quota, "100%, a::b\n%0A", at: Self.range("a,b:c%.yaml", 1, 1, 1, 2))
        #expect(
            rendered([diagnostic], .github)
                == "::error file=a%2Cb%3Ac%25.yaml,line=1,col=1,endLine=1,endColumn=2,title=quota::"
                + "100%25, a::b\\n%250A\n")
    }
}
