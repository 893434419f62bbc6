import Base
import Foundation

@testable import Push

/// docs/reference/README.md and its Chinese sibling: every field from the tables, every diagnostic from its article.
struct ReferencePage {
    private var lines: [String] = []
    private var named: Set<String> = []

    private let language: Language

    init(_ language: Language, diagnosticCodes source: String) {
        self.language = language
        lines = [
            say("# Reference", "# 参考手册"), "", say("[中文](README.zh-CN.md)", "[English](README.md)"), "",
            say(
                """
                Every field of a workspace, and every code of a diagnostic. It is made from the tables by which `bugle validate` reads the files;
                `bugle schema` gives the same to an editor. A field that is not *required* may be left out; what holds then is its default.
                """,
                """
                工作区的全部字段与全部诊断代码。本页由 `bugle validate` 读取文件所用的字段表生成，`bugle schema` 把同样的内容提供给编辑器。
                没有标为*必填*的字段可以省略，省略时取默认值。字段名、代码与诊断信息本身保持英文。
                """),
            "",
        ]
        for kind in DocumentKind.allCases { add(kind.description, level: "##") }
        addConditions()
        add(.secret, level: "##", as: secrets)
        add(
            .reference, level: "##",
            as: say("References: `{env: NAME}` in the place of a value", "引用：在值的位置写 `{env: NAME}`"))
        addDiagnostics(source)
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private func say(_ english: String, _ chinese: String) -> String {
        switch language {
        case .english: english
        case .chinese: chinese
        }
    }

    private func sentence(_ english: String, _ chinese: String) -> String { say(english + ".", chinese + "。") }

    private var secrets: String { say("Secrets: `{env: NAME}`, `{file: PATH}`", "密钥：`{env: NAME}`、`{file: PATH}`") }

    // MARK: Fields

    private mutating func add(_ map: MapDescription, level: String = "###", as heading: String? = nil) {
        guard named.insert(map.name).inserted else { return }
        lines += ["\(level) \(heading ?? "`\(map.name)`")", "", sentence(map.documentation, map.chinese)]
        for rule in map.rules {
            switch rule {
            case .exactlyOne(let names) where !map.documentation.contains("exactly one"):
                let names = Self.codes(names)
                lines.append(say("Exactly one of \(names) is required.", "\(names) 必须且只能写一个。"))
            case .notEmpty: lines.append(say("At least one field is required.", "至少写一个字段。"))
            case .exactlyOne: break
            // These speak of fields deep inside; 'bugle validate' words each where it is broken.
            case .always, .when: break
            }
        }
        lines += ["", say("| field | value | default | meaning |", "| 字段 | 取值 | 默认值 | 含义 |"), "|---|---|---|---|"]
        for field in map.fields {
            let presence =
                switch field.presence {
                case .required: say("*required*", "*必填*")
                case .optional: ""
                case .byDefault(let text): defaultText(text)
                }
            lines.append(
                Self.row(
                    "`\(field.name)`", words(field.type), presence, sentence(field.documentation, field.chinese)))
        }
        lines.append("")
        for field in map.fields { for inner in field.type.maps { add(inner) } }
    }

    /// A default is as it would be written, or says in words where it comes from.
    private func defaultText(_ text: String) -> String {
        let words = [
            "all": "全部", "the workspace's": "工作区的语言",
            "that of audience.deviceProfile, else production": "audience.deviceProfile 的环境，否则为 production",
            "5 for background, else 10": "background 为 5，其余为 10",
            "liveactivity with liveActivity, background when only contentAvailable and data are given, else alert":
                "有 liveActivity 时为 liveactivity，只有 contentAvailable 与 data 时为 background，其余为 alert",
            "when the delivery starts": "投递开始的时刻",
        ]
        return say(text, words[text] ?? text)
    }

    private func words(_ type: FieldType) -> String {
        switch type {
        case .constant(let text): "`\(text)`"
        case .name(let rule): say(rule.words, rule.chinese)
        case .text(let range):
            say("text", "文本")
                + (range.upperBound < Int.max
                    ? say(" of at most \(range.upperBound) bytes", "，最长 \(range.upperBound) 字节") : "")
        case .boolean: "`true`, `false`"
        case .onlyTrue: "`true`"
        case .integer(let range): words(range)
        case .oneOfIntegers(let values): Self.codes(values.map(String.init))
        case .number(let range):
            say(
                "number from \(range.lowerBound) to \(range.upperBound)",
                "\(range.lowerBound) 到 \(range.upperBound) 之间的数")
        case .scalar: say("text, number, ", "文本、数字、") + "`true`, `false`"
        case .choice(let values): Self.codes(values)
        case .duration(let range):
            say("duration such as ", "时长，如 ") + "`90s`, `15m`, `36h`, `7d`, `2w`" + bounds(range)
        case .instant: say("instant such as ", "时间，如 ") + "`2026-11-27T20:00:00+08:00`"
        case .sendTime: words(.instant) + say(", or a ", "；或") + words(.timeOfDay)
        case .date: say("date such as ", "日期，如 ") + "`2026-12-01`"
        case .recurrenceDay: "`mon`…`sun`, `1`…`31`, `last`"
        case .percentage: say("percentage such as ", "百分比，如 ") + "`20%`"
        case .timeOfDay: say("time of day such as ", "时刻，如 ") + "`22:00`"
        case .timeZone: say("`UTC` or an IANA Area/City such as ", "`UTC` 或 IANA 的“区域/城市”时区，如 ") + "`Asia/Shanghai`"
        case .url: say("`https` address, or `http` to this machine", "`https` 地址；本机可用 `http`")
        case .endpoint: say("`https` address, or only host and port", "`https` 地址，或只写主机与端口")
        case .path: say("path, from the workspace's folder when it is relative", "路径；相对路径以工作区目录为准")
        case .workspacePath: say("path inside the workspace", "工作区内的路径")
        case .glob: say("pattern of paths: ", "路径模式：") + "`*`, `**`, `?`"
        case .secret: "[\(say("secret", "密钥"))](#\(Self.anchor(secrets)))"
        case .reference(let inner): words(inner) + say("; or ", "；或 ") + "`{env: NAME}`"
        case .condition: say("[condition](#conditions)", "[查询条件](#查询条件)")
        case .object(let keys): say("mapping of any values; keys: ", "任意值的映射；键：") + say(keys.words, keys.chinese)
        case .list(let inner, let rule):
            say("list of: ", "列表：") + words(inner)
                + (rule.minimum > 1 ? say("; at least \(rule.minimum)", "；至少 \(rule.minimum) 个") : "")
                + (rule.maximum.map { say("; at most \($0)", "；最多 \($0) 个") } ?? "")
        case .map(let map): "[`\(map.name)`](#\(Self.anchor(map.name)))"
        case .entries(let inner, let keys):
            say("mapping to: \(words(inner)); keys: \(keys.words)", "映射，值：\(words(inner))；键：\(keys.chinese)")
        case .either(let types): types.map(words).joined(separator: say("; or ", "；或 "))
        }
    }

    private func words(_ range: ClosedRange<Int>) -> String {
        guard range.upperBound < Int.max else {
            return say("whole number from \(range.lowerBound)", "不小于 \(range.lowerBound) 的整数")
        }
        return say(
            "whole number from \(range.lowerBound) to \(range.upperBound)",
            "\(range.lowerBound) 到 \(range.upperBound) 的整数")
    }

    private func bounds(_ range: ClosedRange<Int64>) -> String {
        func text(_ seconds: Int64) -> String { Duration.seconds(seconds).configurationText }
        let least = range.lowerBound > 0 ? say(", from ", "，从 ") + text(range.lowerBound) : ""
        return least
            + (range.upperBound < FieldType.anyDuration.upperBound ? say(" to ", " 到 ") + text(range.upperBound) : "")
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
            say("## Conditions", "## 查询条件"), "",
            say(
                "LeanCloud's query language: a field with the value that it has, or with operators. `deviceProfile` supports equality only.",
                "LeanCloud 的查询语法：字段直接写值表示相等，或写运算符。`deviceProfile` 只支持相等。"),
            "",
            say("| operator | works on | true of | goes with |", "| 运算符 | 操作数 | 含义 | 同时出现 |"), "|---|---|---|---|",
        ]
        for condition in ConditionOperator.allCases {
            lines.append(
                Self.row(
                    "`\(condition.rawValue)`", words(condition.operand),
                    sentence(condition.documentation, condition.chinese),
                    condition.companion.map { "`\($0.rawValue)`" }
                        ?? (condition.isTopLevel ? say("fields", "字段") : "")))
        }
        lines.append("")
        for map in ConditionSchema.maps { add(map) }
    }

    private func words(_ operand: ConditionOperator.Operand) -> String {
        switch operand {
        case .conditions: say("list of conditions", "条件列表")
        case .relation: say("an object and the key of its relation", "对象与其 Relation 字段名")
        case .value: say("any value but null", "null 以外的任意值")
        case .ordered: say("number, text or Date", "数字、文本或 Date")
        case .values: say("list of values", "值的列表")
        case .boolean: "`true`, `false`"
        case .count: say("whole number from 0", "不小于 0 的整数")
        case .text: say("text", "文本")
        case .regexOptions: say("letters of `i`, `m`, `x`, `s`", "`i`、`m`、`x`、`s` 中的字母")
        case .point: "GeoPoint"
        case .distance: say("number from 0", "不小于 0 的数")
        case .box: say("two corners", "两个角")
        case .query: say("condition, on another class or not", "查询条件，可针对另一个 Class")
        case .selection: say("condition on another class and one of its fields", "针对另一个 Class 的查询条件及其一个字段")
        }
    }

    // MARK: Diagnostics

    /// The Chinese of the groups of codes.
    private static let headings = [
        "YAML": "YAML", "Files": "文件", "Shape": "结构", "Messages": "消息", "Certificates": "推送证书", "Capabilities": "远端能力",
        "Policy": "上限与规则", "Plan": "计划",
    ]

    /// The groups and their order are those of the source; what a code means is in its article.
    private mutating func addDiagnostics(_ source: String) {
        lines += [
            say("## Diagnostics", "## 诊断代码"), "",
            say(
                "The code in square brackets at the end of a diagnostic; `bugle explain CODE` says why, with an example.",
                "诊断信息末尾方括号中的代码；`bugle explain CODE` 说明原因并举例。"), "",
        ]
        for line in source.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let heading = line.firstMatch(of: /^\/\/ MARK: ([^(]+)/)?.output.1 {
                let heading = heading.trimmingCharacters(in: .whitespaces)
                lines += [
                    "", "### \(say(heading, Self.headings[heading] ?? heading))", "",
                    say("| code | meaning | what to do |", "| 代码 | 含义 | 处理 |"), "|---|---|---|",
                ]
            } else if let match = line.firstMatch(of: /^case `?([A-Za-z]+)`?(?: = "([a-z0-9-]+)")?$/) {
                let name = String(match.output.2 ?? match.output.1)
                if let article = DiagnosticCode(rawValue: name).flatMap(DiagnosticArticle.init) {
                    lines.append(Self.row("`\(name)`", language.say(article.meaning), language.say(article.mend)))
                }
            }
        }
    }
}
