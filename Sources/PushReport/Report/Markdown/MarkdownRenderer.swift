internal import Base
internal import Push

/// Renders a document as a pull request comment: the verdict and totals first, then the pushes, then the rest, folded;
/// items without room are counted.
struct MarkdownRenderer {
    private let limit: Int
    private let language: Language

    /// Room for the sentences about omitted content.
    private static let reserve = 600

    init(options: ReportOptions) {
        limit = options.markdownLimit
        language = options.language
    }

    /// Renders the comment, limited to the number of UTF-16 units in the options.
    func render(_ document: ReportDocument) -> [UInt8] {
        guard !document.parts.allSatisfy(\.isEmpty) else { return [] }
        var writer = MarkdownWriter(language)
        writer.writeHead(of: document)
        var rest: [MarkdownWriter] = []
        // The list of changes gets the room that the other parts leave; each of those has its share of the whole.
        for part in document.parts {
            let share = limit / (isOnlyContent(part, of: document) ? 1 : 6)
            rest.append(tail(part, upTo: min(share, limit - writer.count - Self.reserve)))
        }
        let spent = rest.reduce(writer.count + Self.reserve) { $0 + $1.count }
        var items = MarkdownItems(upTo: limit - spent, in: language)
        for case .items(let list) in document.parts { items.write(list) }
        writer.append(items.writer)
        for part in rest where writer.count + part.count <= limit { writer.append(part) }
        return writer.count <= limit ? writer.bytes : tooLong
    }

    /// True if no other part of the document takes room.
    private func isOnlyContent(_ part: ReportDocument.Part, of document: ReportDocument) -> Bool {
        document.parts.allSatisfy { other in
            switch other {
            case .title, .closing, .verdict: true
            case .items, .diagnostics, .table, .section: other.isEmpty || other == part
            }
        }
    }

    /// The parts after the changes.
    private func tail(_ part: ReportDocument.Part, upTo most: Int) -> MarkdownWriter {
        switch part {
        case .title, .items, .closing, .verdict: return MarkdownWriter(language)
        case .diagnostics(let diagnostics): return .written(diagnostics, upTo: most, in: language)
        case .table(let table): return .written(table, upTo: most, in: language)
        case .section(let section):
            guard !section.blocks.isEmpty else { return MarkdownWriter(language) }
            return .written(section, upTo: most, in: language)
        }
    }

    /// The message when not even the head fits.
    private var tooLong: [UInt8] {
        Array((language.say(.tooLong) + "\n").utf8)
    }
}

// MARK: - Head

extension MarkdownWriter {
    /// Appends the head of the comment: the subject, the verdict and the totals.
    mutating func writeHead(of document: ReportDocument) {
        let hasVerdict = document.parts.contains { if case .verdict = $0 { true } else { false } }
        for part in document.parts {
            switch part {
            case .title(let title): write(title)
            case .verdict(let verdict):
                text(verdict.text, between: "<p>\(verdict.tone.sign) <b>", and: "</b></p>\n\n")
            case .closing(let lines) where !lines.isEmpty:
                // Totals are in small print if a verdict has told the whole.
                let element = hasVerdict ? "sub" : "b"
                markup("<p>")
                texts(lines, broken: "<br/>\n", between: "<\(element)>", and: "</\(element)>")
                markup("</p>\n\n")
            case .items, .diagnostics, .table, .section, .closing: break
            }
        }
    }

    private mutating func write(_ title: ReportDocument.Title) {
        markup("<h3>\(title.what)\(language.say(.colon))")
        let lines = ([title.aside] + title.notes).filter { !$0.isEmpty }
        if let headline = title.headline {
            text(headline, between: "", and: "</h3>\n<p>")
            texts([title.workspace, title.remote], broken: " → ")
            markup(lines.isEmpty ? "</p>" : "<br/>\n")
        } else {
            texts([title.workspace, title.remote], broken: " → ")
            markup(lines.isEmpty ? "</h3>" : "</h3>\n<p>")
        }
        texts(lines, broken: "<br/>\n")
        markup(lines.isEmpty ? "\n\n" : "</p>\n\n")
    }
}

// MARK: - Diagnostics

extension MarkdownWriter {
    /// Room for the sentence about omitted diagnostics.
    private static let reserve = 200

    /// Diagnostics in at most so many characters: errors and warnings as a list, notes folded; those without room are
    /// counted.
    static func written(_ diagnostics: [Diagnostic], upTo most: Int, in language: Language) -> MarkdownWriter {
        var writer = MarkdownWriter(language)
        guard !diagnostics.isEmpty, most > 2 * reserve else { return writer }
        let grave = diagnostics.filter { $0.severity != .note }.sorted { $0.severity < $1.severity }
        let notes = diagnostics.filter { $0.severity == .note }
        if !grave.isEmpty {
            writer.markup("#### \(language.say(.warningsHeading))\n\n<ul>\n")
            writer.write(grave, upTo: most)
            writer.markup("</ul>\n\n")
        }
        guard !notes.isEmpty, writer.count < most - reserve else { return writer }
        writer.markup("<details>\n<summary>\(language.say(.notes(notes.count)))</summary>\n<ul>\n")
        writer.write(notes, upTo: most)
        writer.markup("</ul>\n</details>\n\n")
        return writer
    }

    private mutating func write(_ diagnostics: [Diagnostic], upTo most: Int) {
        for (index, diagnostic) in diagnostics.enumerated() {
            var next = self
            let isSaid = index > 0 && diagnostics[index - 1].help == diagnostic.help
            next.write(diagnostic, withHelp: !isSaid)
            guard next.count < most - Self.reserve else {
                markup("<li>… \(language.say(.more(diagnostics.count - index)))</li>\n")
                return
            }
            self = next
        }
    }

    private mutating func write(_ diagnostic: Diagnostic, withHelp: Bool) {
        markup("<li><b>\(diagnostic.severity.rawValue)</b> ")
        if let range = diagnostic.range { write(range) }
        text(diagnostic.message)
        markup(" [\(diagnostic.code.rawValue)]")
        if withHelp, let help = diagnostic.help { text(help, between: "<br/>", and: "") }
        for related in diagnostic.related {
            markup("<br/>")
            write(related.range)
            text(related.message)
        }
        markup("</li>\n")
    }

    private mutating func write(_ range: SourceRange) {
        code("\(range.file):\(range.start.line):\(range.start.column)")
        markup(" ")
    }
}
