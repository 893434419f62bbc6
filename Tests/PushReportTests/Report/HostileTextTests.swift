internal import Base
internal import ProgramTesting
internal import Push
internal import PushReport
internal import Testing

/// What a file or an answer may hold to mislead a terminal, a log or a reader, in every field of every report.
@Suite struct HostileTextTests {
    static let texts = [
        "::error file=a::x", "\n::error::x", "\r\n##[error]x", "\u{1B}[2J\u{1B}]0;x\u{7}", "\u{202E}x\u{2066}",
        "a\u{2028}::warning::b\u{85}c\u{2029}", "   ::stop-commands::x", "##vso[task.x]", "%0A::error::x,title=y",
        "\u{FEFF}\u{200B}::error::", ":", "\t::debug::x", "\"},{\"x\":\"\\", "</script>```",
        "@octocat #1 GH-1 !2 ~bug abc1234def5678 :smile: $x$", "https://evil.example www.evil.example a@b.example",
        "![x](https://evil.example/x.png) [x](javascript:x) <https://evil.example>", "<img src=x onerror=alert(1)><b>",
        "\"><svg onload=\"x\"><!-- --> ]]> &lt; &#64;x", "</details></pre></code>\n\n# x", "| a | b |\n| - | - |",
        "*x* _x_ ~~x~~ `x`",
        "{{x}} {{{x}}} {{/x}}", "# x", "> x", "- x", "```\nx",
    ]

    /// Every form of every report, rendered once for each text.
    @Test(arguments: texts)
    func itStaysTextInItsLine(_ text: String) throws {
        for format in ReportFormat.allCases {
            let models = HostileReports.models[format] ?? []
            for (index, (report, model)) in zip(HostileReports.rendered(text, format), models).enumerated() {
                let place = Comment("report \(index) as \(format)")
                let lines = Self.lines(report)
                // Long text of a result or a table goes on in lines that are indented, and in no other.
                let goesOn = format == .text && index % (models.count / Language.allCases.count) >= 2
                func isOwn(_ line: Substring) -> Bool { !goesOn || !line.hasPrefix("    ") }
                // The last report holds others, of which a plan has lines of its own that are indented.
                let isOfMany = goesOn && index % (models.count / Language.allCases.count) == 5
                #expect(isOfMany || lines.count(where: isOwn) == Self.lines(model).count(where: isOwn), place)
                for line in lines {
                    let isClean = !line.unicodeScalars.contains(where: HiddenCharacters.contain)
                    #expect(isClean && !line.contains("##[") && !line.contains("##vso["), "\(place) \(line.prefix(80))")
                    let isCommand = line.drop(while: \.isWhitespace).hasPrefix("::")
                    #expect(!isCommand || format == .github, "\(place) \(line.prefix(80))")
                }
                switch format {
                case .html: try check(page: report, model, text, place)
                case .markdown: check(comment: report, model, place)
                case .github: try check(annotations: lines, place)
                case .text, .json, .sarif, .csv, .svg: break
                }
            }
        }
    }

    /// The lines, also of a table whose rows end as spreadsheets have it.
    private static func lines(_ text: String) -> [Substring] {
        text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Whether a page is built as it is with a harmless text.
    private func check(page: String, _ model: String, _ text: String, _ place: Comment) throws {
        let (page, model) = (try PageCheck(page), try PageCheck(model))
        #expect(page.problems == [], place)
        #expect(page.text.contains(escaped(text)), place)
        // Pictures break texts into lines of their own.
        let pictures: Set = ["tspan", "text"]
        func names(_ page: PageCheck) -> [String] { page.elements.map(\.name).filter { !pictures.contains($0) } }
        #expect(names(page).elementsEqual(names(model)) && page.style == model.style, place)
    }

    /// Whether a comment is built as it is with a harmless text, every sign that could mean anything to Markdown is
    /// written as a reference, and nothing outside code is what a service makes a link or a command of.
    private func check(comment: String, _ model: String, _ place: Comment) {
        #expect(Self.tags(comment) == Self.tags(model), place)
        let known = Set(model.split(separator: "\n"))
        for line in comment.split(separator: "\n") where !known.contains(line) {
            var rest = line.replacing(/<[^>]*>/, with: "")
            // The mark of an update.
            if rest.hasPrefix("~ ") { rest.removeFirst(2) }
            for reference in ["&amp;", "&lt;", "&gt;"] + "'@#`*_~|[]\\$:.".utf8.map({ "&#\($0);" }) {
                rest = rest.replacing(reference, with: "")
            }
            #expect(!rest.contains { "@#`*_~|<>\\$&'".contains($0) }, "\(place) \(rest)")
        }
        for text in Self.textsOutsideCode(comment).subtracting(Self.textsOutsideCode(model)) {
            #expect(!text.hasPrefix("/"), "\(place) \(text)")
            for pattern in Self.references {
                #expect(text.firstMatch(of: pattern) == nil, "\(place) \(text)")
            }
        }
    }

    /// What GitHub or GitLab links, draws or carries out.
    private static var references: [Regex<Substring>] {
        [
            /@[A-Za-z0-9_]/, /#[A-Za-z0-9]/, /[A-Za-z_][A-Za-z0-9_]*-[0-9]/, /:\/\//, /[Ww][Ww][Ww]\./,
            /\b[0-9a-fA-F]{7,40}\b/,
            /![0-9]/,
            /\$[0-9]/, /\$.*\$/, /~["A-Za-z0-9.?&-]/, /\*[a-z_]+:/, /%["A-Za-z0-9]/, /&[0-9]/, /\[\[/, /\[[a-z_]+:/,
            /:[A-Za-z0-9_+-]*[A-Za-z_+][A-Za-z0-9_+-]*:/,
        ]
    }

    /// The names of a comment's tags, but for code, in which a text stands or not.
    private static func tags(_ comment: String) -> [Substring] {
        comment.matches(of: /<\/?([a-z0-9]+)[^>]*>/).map(\.output.1).filter { $0 != "code" }
    }

    /// The texts of a comment that stand in neither `code` nor `pre`, as a reader sees them.
    private static func textsOutsideCode(_ comment: String) -> Set<String> {
        let plain = comment.replacing(/<code>[^<]*<\/code>/, with: "<>").replacing(/<pre>[^<]*<\/pre>/, with: "<>")
        return Set(Set(plain.split(separator: /<[^>]*>/)).map(unescaped))
    }

    private static func unescaped(_ part: Substring) -> String {
        var text = String(part)
        for (number, reference) in "'@#`*_~|[]\\$:.".utf8.map({ ($0, "&#\($0);") }) {
            text = text.replacing(reference, with: String(UnicodeScalar(number)))
        }
        return text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }

    /// Whether annotations have only our properties.
    private func check(annotations: [Substring], _ place: Comment) throws {
        for line in annotations where !line.isEmpty {
            let parts = line.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
            try #require(parts.count == 3, place)
            #expect(parts[0] == "", place)
            let words = parts[1].split(separator: " ", maxSplits: 1)
            #expect(["error", "warning", "notice"].contains(words[0]), place)
            let names = words[1].split(separator: ",").map { $0.prefix { $0 != "=" } }
            #expect(Set(names).isSubset(of: ["file", "line", "col", "endLine", "endColumn", "title"]), place)
            #expect(Set(names).count == names.count, place)
        }
    }

    @Test(arguments: texts)
    func programsGetItBackUnchanged(_ text: String) throws {
        let json = try HostileReports.rendered(text, .json).map { try JSONValue(parsing: $0) }
        #expect(json[0]["diagnostics"]?.array?.first?["message"] == .string(text))
        #expect(json[1]["workspace"] == .string(text))
        #expect(json[2]["results"]?.array?.first?["detail"] == .string(text))
        #expect(json[3]["deliveries"]?.array?.first?["campaign"] == .string(text))
        let log = try JSONValue(parsing: HostileReports.rendered(text, .sarif)[0])
        let results = try #require(log["runs"]?.array?.first?["results"]?.array)
        #expect(results.contains { $0["message"]?["text"]?.string?.hasPrefix(text) == true })
    }
}
