internal import Base
internal import ProgramTesting
internal import PushReport
internal import Testing

@Suite struct SARIFTests {
    private static let place = SourceRange(
        file: "a b/名字%:#.yaml", start: SourcePosition(line: 2, column: 3), end: SourcePosition(line: 2, column: 10))
    private static let diagnostics = [
        Diagnostic(
            .error, .unknownKey, "unknown key 'chanels'", at: place, help: "did you mean 'channels'?",
            related: [.init("the first is here", at: place)]),
        Diagnostic(.error, .wrongType, "not a text", at: place),
        Diagnostic(.warning, .unknownKey, "unknown key 'x'", at: place),
        Diagnostic(.note, .quota, "900 of 1,000 pending pushes"),
    ]

    private func log(_ diagnostics: [Diagnostic]) throws -> JSONValue {
        try JSONValue(parsing: Report.diagnostics(diagnostics).rendered(as: .sarif))
    }

    @Test func theLogIsAsRecorded() throws {
        try expectGolden(Report.diagnostics(Self.diagnostics).rendered(as: .sarif), "diagnostics.sarif")
    }

    /// The members that the schema of SARIF 2.1.0 requires, and the values that it allows.
    @Test(arguments: [diagnostics, []])
    func itHasWhatTheSchemaRequires(_ diagnostics: [Diagnostic]) throws {
        let log = try log(diagnostics)
        #expect(log["version"] == "2.1.0")
        let run = try #require(log["runs"]?.array?.first)
        let driver = try #require(run["tool"]?["driver"])
        #expect(driver["name"] == "bugle")
        let rules = try #require(driver["rules"]?.array).map { try #require($0["id"]?.string) }
        #expect(Set(rules).count == rules.count)
        #expect(run["columnKind"] == "unicodeCodePoints")
        let results = try #require(run["results"]?.array)
        #expect(results.count == diagnostics.count)
        for result in results {
            #expect(result["message"]?["text"]?.string?.isEmpty == false)
            #expect(["error", "warning", "note"].contains(result["level"]?.string))
            let index = try #require(result["ruleIndex"]?.integer)
            #expect(result["ruleId"]?.string == rules[Int(index)])
            #expect(result["partialFingerprints"]?.object?.values.allSatisfy { $0.string?.count == 64 } == true)
            for place in (result["locations"]?.array ?? []) + (result["relatedLocations"]?.array ?? []) {
                let physical = try #require(place["physicalLocation"])
                let uri = try #require(physical["artifactLocation"]?["uri"]?.string)
                #expect(uri.wholeMatch(of: /(?:[A-Za-z0-9._~\/-]|%[0-9A-F]{2})+/) != nil)
                let region = try #require(physical["region"]?.object)
                #expect(
                    ["startLine", "startColumn", "endLine", "endColumn"].allSatisfy { (region[$0]?.integer ?? 0) > 0 })
            }
        }
    }

    @Test func equalFindingsHaveFingerprintsOfTheirOwnAndKeepThemWhenLinesMove() throws {
        func fingerprints(_ lines: [Int]) throws -> [String?] {
            let found = lines.map { line in
                Diagnostic(
                    .error, .unknownKey, "unknown key 'x'",
                    at: SourceRange(file: "a.yaml", start: SourcePosition(line: line, column: 1)))
            }
            return try #require(try log(found)["runs"]?.array?.first?["results"]?.array).map {
                $0["partialFingerprints"]?["bugleDiagnostic/v1"]?.string
            }
        }
        let first = try fingerprints([3, 9])
        #expect(Set(first).count == 2)
        #expect(try fingerprints([4, 20]) == first)
    }
}
