internal import Base
internal import Push

/// Renders a document as one self-contained page: no script, no request, no other file; only a live page has a script that
/// loads it anew.
struct HTMLRenderer {
    private let options: ReportOptions
    /// The version of a live page; nil for one that stays as it is.
    private let liveVersion: Int?
    private var bytes: [UInt8] = []
    private var language: Language { options.language }

    /// The maximum number of campaigns with drawings, the riskiest; a page with more would be too large.
    static let mostDrawn = 50
    /// The maximum number of items shown in full, the riskiest; the others get one line each.
    static let mostWhole = 500
    /// The maximum number of diagnostics.
    static let mostDiagnostics = 1000

    init(options: ReportOptions, liveVersion: Int? = nil) {
        self.options = options
        self.liveVersion = liveVersion
    }

    /// Renders the page.
    func render(_ document: ReportDocument) -> [UInt8] {
        var renderer = self
        let items = HTMLItems(document, in: options.language)
        renderer.append(.head, HTMLHead(document, items, liveVersion: liveVersion).view)
        let sections = document.parts.enumerated().filter { !$0.element.isEmpty }
        renderer.append(items)
        for (_, part) in sections { if case .diagnostics(let list) = part { renderer.append(list, areGrave: true) } }
        for (index, part) in sections {
            switch part {
            case .section(let section):
                renderer.append(section, anchor: HTMLAnchor.section(index), items)
            case .table(let table):
                let section = ReportDocument.Section(heading: document.what, blocks: [.table(table)])
                renderer.append(section, anchor: HTMLAnchor.section(index), items)
            case .title, .items, .diagnostics, .closing, .verdict: break
            }
        }
        for (_, part) in sections { if case .diagnostics(let list) = part { renderer.append(list, areGrave: false) } }
        renderer.append(.foot, ["tool": BugleVersion.tool, "live": liveVersion.orNothing])
        return renderer.bytes
    }

    private mutating func append(_ template: HTMLTemplates.Template, _ view: HTMLTemplates.View) {
        bytes.append(contentsOf: HTMLTemplates.render(template, view, in: options.language).utf8)
    }

    private mutating func append(_ items: HTMLItems) {
        for group in items.groups {
            append(.groupHead, group.view)
            for entry in group.entries {
                let view = items.view(of: entry)
                append(view.template, view.values)
            }
            append(.groupFoot, [:])
        }
    }

    private mutating func append(_ section: ReportDocument.Section, anchor: String, _ items: HTMLItems) {
        append(
            .section,
            [
                "anchor": anchor, "heading": section.heading, "sectionAside": section.aside.orNothing,
                "blocks": section.blocks.map { HTMLBlocks.view(of: $0, items) },
            ])
    }

    /// Appends diagnostics: errors and warnings come after the changes, notes at the end.
    private mutating func append(_ diagnostics: [Diagnostic], areGrave: Bool) {
        let list = diagnostics.filter { ($0.severity != .note) == areGrave }.sorted { $0.severity < $1.severity }
        guard !list.isEmpty else { return }
        let rest = list.count - Self.mostDiagnostics
        let sourceLine = options.sourceLine(hidingSecretsOf: diagnostics)
        append(
            .diagnostics,
            [
                "anchor": areGrave ? HTMLAnchor.warnings : HTMLAnchor.notes,
                "heading": language.say(areGrave ? .warningsHeading : .notes), "count": list.count.grouped,
                "findings": list.prefix(Self.mostDiagnostics).enumerated().map { index, diagnostic in
                    // Advice is given once where several findings in a row have the same.
                    diagnostic.view(
                        withHelp: index == 0 || list[index - 1].help != diagnostic.help, sourceLine)
                },
                "findingsRest": rest > 0 ? "… " + language.say(.more(rest)) as Any : false,
            ])
    }
}

extension ReportDocument {
    /// The kind of report; empty without a title.
    fileprivate var what: String {
        parts.lazy.compactMap { part in if case .title(let title) = part { title.what } else { nil } }.first ?? ""
    }
}

/// The anchors of a page.
enum HTMLAnchor {
    static let warnings = "warnings"
    static let notes = "notes"
    static func item(_ index: Int) -> String { "change-\(index + 1)" }
    static func group(_ mark: Mark) -> String { "all-\(mark.rawValue)" }
    static func section(_ index: Int) -> String { "section-\(index)" }
}

extension Diagnostic {
    fileprivate func view(
        withHelp: Bool, _ sourceLine: (_ file: String, _ line: Int) -> String?
    ) -> HTMLTemplates.View {
        let excerpt = range.flatMap { range in
            sourceLine(range.file, range.start.line).map { SourceExcerpt(of: $0, range).view }
        }
        return [
            "severity": severity.rawValue, "message": message, "code": code.rawValue,
            "help": withHelp ? help.orNothing : false,
            "place": range.map(Self.text).orNothing, "excerpt": excerpt.orNothing,
            "related": related.map { ["relatedPlace": Self.text($0.range), "relatedMessage": $0.message] },
        ]
    }

    private static func text(_ range: SourceRange) -> String {
        "\(range.file):\(range.start.line):\(range.start.column)"
    }
}
