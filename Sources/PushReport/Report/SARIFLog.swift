internal import Base
internal import Push

extension Report {
    /// The diagnostics as SARIF for code scanning; nil for reports without diagnostics of their own.
    ///
    /// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html, and GitHub's "SARIF support for code
    /// scanning" on its use of `partialFingerprints`.
    var sarif: OrderedJSON? { diagnostics?.sarif }

    private var diagnostics: [Diagnostic]? {
        switch self {
        case .diagnostics(let diagnostics): diagnostics.sortedForPrinting()
        case .plan(let plan): plan.diagnostics.map { $0.map(\.text) }
        case .preview(let report): report.diagnostics
        case .fleet(let report): report.sections.flatMap { $0.report.diagnostics ?? [] }
        case .apply, .status, .history: nil
        }
    }
}

extension [Diagnostic] {
    fileprivate var sarif: OrderedJSON {
        // Results refer to the codes in use by index.
        let codes = Set(map(\.code)).sorted { $0.rawValue < $1.rawValue }
        let places = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($0.element, $0.offset) })
        // Equal diagnostics in one file have different fingerprints, which survive edits elsewhere in the file.
        var seen: [String: Int] = [:]
        let results = map { diagnostic -> OrderedJSON in
            let text = [diagnostic.code.rawValue, diagnostic.range?.file ?? "", diagnostic.message]
                .joined(separator: "\n")
            seen[text, default: 0] += 1
            return diagnostic.sarifResult(
                ruleIndex: places[diagnostic.code] ?? 0,
                fingerprint: Digest(of: [UInt8]("\(text)\n\(seen[text] ?? 1)".utf8)).hexadecimal)
        }
        let rules = codes.map { code -> OrderedJSON in
            ["id": .string(code.rawValue), "name": .string(code.ruleName)]
        }
        let driver: OrderedJSON = [
            "name": .string("bugle"), "semanticVersion": .string(BugleVersion.number), "rules": .array(rules),
        ]
        return [
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
            "version": .string("2.1.0"),
            "runs": [
                [
                    "tool": ["driver": driver],
                    // Columns of diagnostics count Unicode scalars.
                    "columnKind": .string("unicodeCodePoints"),
                    "originalUriBaseIds": [
                        "%SRCROOT%": ["description": ["text": .string("The folder in which bugle ran.")]]
                    ],
                    "results": .array(results),
                ]
            ],
        ]
    }
}

extension DiagnosticCode {
    /// The code in the camel case that viewers show as a rule's name: `UnknownKey`.
    fileprivate var ruleName: String {
        rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension Diagnostic {
    fileprivate func sarifResult(ruleIndex: Int, fingerprint: String) -> OrderedJSON {
        let text = message + (help.map { "\n" + $0 } ?? "")
        var members: [(String, OrderedJSON)] = [
            ("ruleId", .string(code.rawValue)), ("ruleIndex", .integer(ruleIndex)),
            ("level", .string(severity.rawValue)), ("message", ["text": .string(text)]),
        ]
        members.append(("locations", .array(range.map { [["physicalLocation": $0.sarif] as OrderedJSON] } ?? [])))
        if !related.isEmpty {
            let places = related.map { related -> OrderedJSON in
                ["physicalLocation": related.range.sarif, "message": ["text": .string(related.message)]]
            }
            members.append(("relatedLocations", .array(places)))
        }
        if let mend {
            let replacement: OrderedJSON = [
                "deletedRegion": mend.range.sarifRegion, "insertedContent": ["text": .string(mend.text)],
            ]
            let change: OrderedJSON = ["artifactLocation": mend.range.sarifArtifact, "replacements": [replacement]]
            let fix: OrderedJSON = ["description": ["text": .string(help ?? message)], "artifactChanges": [change]]
            members.append(("fixes", [fix]))
        }
        members.append(("partialFingerprints", ["bugleDiagnostic/v1": .string(fingerprint)]))
        return .object(members)
    }
}

extension SourceRange {
    fileprivate var sarif: OrderedJSON { ["artifactLocation": sarifArtifact, "region": sarifRegion] }

    fileprivate var sarifArtifact: OrderedJSON {
        // An unencoded colon would be taken for the end of a URL scheme.
        let reference = file.percentEncoded { !$0.isUnreserved && $0 != UInt8(ascii: "/") }
        return file.hasPrefix("/")
            ? ["uri": .string("file://" + reference)]
            : ["uri": .string(reference), "uriBaseId": .string("%SRCROOT%")]
    }

    fileprivate var sarifRegion: OrderedJSON {
        [
            "startLine": .integer(start.line), "startColumn": .integer(start.column),
            "endLine": .integer(end.line), "endColumn": .integer(end.column),
        ]
    }
}
