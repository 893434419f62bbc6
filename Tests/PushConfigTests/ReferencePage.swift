import Diagnostics
import Foundation
import PushModel

@testable import PushConfig

/// REFERENCE.md: every field from the tables, every diagnostic from the documentation of its code.
struct ReferencePage {
    private var lines: [String] = []
    private var named: Set<String> = []

    init(diagnosticCodes source: String) {
        lines = [
            "# Reference", "",
            "Every field of a workspace, and every code of a diagnostic. It is made from the tables by which `bugle validate` reads the files;",
            "`bugle schema` gives the same to an editor. A field that is not *required* may be left out; what holds then is its default.",
            "",
        ]
        for kind in DocumentKind.allCases { add(kind.description, level: "##") }
        addConditions()
        add(SecretField.table.description, level: "##", as: "Secrets: `{env: NAME}`, `{file: PATH}`")
        add(ReferenceField.table.description, level: "##", as: "References: `{env: NAME}` in the place of a value")
        addDiagnostics(source)
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    // MARK: Fields

    private mutating func add(_ map: MapDescription, level: String = "###", as heading: String? = nil) {
        guard named.insert(map.name).inserted else { return }
        lines += ["\(level) \(heading ?? "`\(map.name)`")", "", map.documentation + "."]
        for rule in map.rules {
            switch rule {
            case .exactlyOne(let names) where !map.documentation.contains("exactly one"):
                lines.append("Exactly one of \(Self.codes(names)) is there.")
            case .notEmpty: lines.append("At least one field is there.")
            case .exactlyOne: break
            // These speak of fields deep inside; 'bugle validate' words each where it is broken.
            case .always, .when: break
            }
        }
        lines += ["", "| field | value | default | meaning |", "|---|---|---|---|"]
        for field in map.fields {
            let presence =
                switch field.presence {
                case .required: "*required*"
                case .optional: ""
                case .byDefault(let text): text
                }
            lines.append(
                Self.row("`\(field.name)`", Self.words(field.type), presence, field.documentation + "."))
        }
        lines.append("")
        for field in map.fields { for inner in Self.maps(field.type) { add(inner) } }
    }

    private static func maps(_ type: FieldType) -> [MapDescription] {
        switch type {
        case .map(let map): [map]
        case .entries(let inner, _), .list(let inner, _), .reference(let inner): maps(inner)
        case .either(let types): types.flatMap(maps)
        case .constant, .name, .text, .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .choice, .duration,
            .instant, .percentage, .timeOfDay, .timeZone, .url, .endpoint, .path, .workspacePath, .glob, .secret,
            .condition, .object:
            []
        }
    }

    private static func words(_ type: FieldType) -> String {
        switch type {
        case .constant(let text): "`\(text)`"
        case .name(let rule): rule.words
        case .text(let range): "text" + (range.upperBound < Int.max ? " of at most \(range.upperBound) bytes" : "")
        case .boolean: "`true`, `false`"
        case .onlyTrue: "`true`"
        case .integer(let range):
            "whole number from \(range.lowerBound)" + (range.upperBound < Int.max ? " to \(range.upperBound)" : "")
        case .oneOfIntegers(let values): codes(values.map(String.init))
        case .number(let range): "number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let values): codes(values)
        case .duration(let range): "duration such as `90s`, `15m`, `36h`, `7d`, `2w`" + bounds(range)
        case .instant: "instant such as `2026-11-27T20:00:00+08:00`"
        case .percentage: "percentage such as `20%`"
        case .timeOfDay: "time of day such as `22:00`"
        case .timeZone: "IANA time zone such as `Asia/Shanghai`"
        case .url: "`https` address, or `http` to this machine"
        case .endpoint: "`https` address, or only host and port"
        case .path: "path, from the workspace's folder when it is relative"
        case .workspacePath: "path inside the workspace"
        case .glob: "pattern of paths: `*`, `**`, `?`"
        case .secret: "[secret](#secrets-env-name-file-path)"
        case .reference(let inner): "\(words(inner)); or `{env: NAME}`"
        case .condition: "[condition](#conditions)"
        case .object(let keys): "mapping of any values; keys: \(keys.words)"
        case .list(let inner, let rule):
            "list of: " + words(inner) + (rule.minimum > 1 ? "; at least \(rule.minimum)" : "")
                + (rule.maximum.map { "; at most \($0)" } ?? "")
        case .map(let map): "[`\(map.name)`](#\(anchor(map.name)))"
        case .entries(let inner, let keys): "mapping to: \(words(inner)); keys: \(keys.words)"
        case .either(let types): types.map(words).joined(separator: "; or ")
        }
    }

    private static func bounds(_ range: ClosedRange<Int64>) -> String {
        func text(_ seconds: Int64) -> String { Duration.seconds(seconds).configurationText }
        let least = range.lowerBound > 0 ? ", from \(text(range.lowerBound))" : ""
        return least + (range.upperBound < FieldType.anyDuration.upperBound ? " to \(text(range.upperBound))" : "")
    }

    /// How GitHub makes the anchor of a heading.
    private static func anchor(_ heading: String) -> String {
        String(heading.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" ? $0 : nil })
    }

    private static func codes(_ values: [String]) -> String { values.map { "`\($0)`" }.joined(separator: ", ") }

    private static func row(_ cells: String...) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    // MARK: Conditions

    private mutating func addConditions() {
        lines += [
            "## Conditions", "",
            "LeanCloud's query language: a field with the value that it has, or with operators. `deviceProfile` supports equality only.",
            "",
            "| operator | works on | true of | stands beside |", "|---|---|---|---|",
        ]
        for condition in ConditionOperator.allCases {
            lines.append(
                Self.row(
                    "`\(condition.rawValue)`", Self.words(condition.operand), condition.documentation + ".",
                    condition.companion.map { "`\($0.rawValue)`" } ?? (condition.isTopLevel ? "fields" : "")))
        }
        lines.append("")
        for map in ConditionSchema.maps { add(map) }
    }

    private static func words(_ operand: ConditionOperator.Operand) -> String {
        switch operand {
        case .conditions: "list of conditions"
        case .relation: "an object and the key of its relation"
        case .value: "any value but null"
        case .ordered: "number, text or Date"
        case .values: "list of values"
        case .boolean: "`true`, `false`"
        case .count: "whole number from 0"
        case .text: "text"
        case .regexOptions: "letters of `i`, `m`, `x`, `s`"
        case .point: "GeoPoint"
        case .distance: "number from 0"
        case .box: "two corners"
        case .query: "condition, on another class or not"
        case .selection: "condition on another class and one of its fields"
        }
    }

    // MARK: Diagnostics

    /// A code stands on a `case`, its meaning in the lines of documentation above.
    private mutating func addDiagnostics(_ source: String) {
        lines += ["## Diagnostics", "", "The code in square brackets at the end of a diagnostic.", ""]
        var meaning: [String] = []
        for line in source.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let heading = line.firstMatch(of: /^\/\/ MARK: ([^(]+)/)?.output.1 {
                lines += [
                    "", "### \(heading.trimmingCharacters(in: .whitespaces))", "", "| code | meaning |", "|---|---|",
                ]
            } else if line.hasPrefix("/// ") {
                meaning.append(String(line.dropFirst(4)))
            } else {
                if let match = line.firstMatch(of: /^case `?([A-Za-z]+)`?(?: = "([a-z0-9-]+)")?$/) {
                    lines.append(Self.row("`\(match.output.2 ?? match.output.1)`", meaning.joined(separator: " ")))
                }
                meaning = []
            }
        }
    }
}
