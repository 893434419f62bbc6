package import Base
package import Push

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
    static let mostDiagnostics = 1000

    init(options: ReportOptions, liveVersion: Int? = nil) {
        self.options = options
        self.liveVersion = liveVersion
    }

    func render(_ document: ReportDocument) -> [UInt8] {
        var renderer = self
        let items = HTMLItems(document, in: options.language)
        renderer.append(.head, items.head(of: document, liveVersion: liveVersion))
        renderer.append(document, items)
        renderer.append(.foot, ["tool": BugleVersion.tool, "live": liveVersion.orNothing])
        return renderer.bytes
    }

    /// Renders the page of many workspaces: the whole, then one after the other.
    func render(_ fleet: FleetReport) -> [UInt8] {
        var renderer = self
        let document = fleet.document(in: language)
        let places = fleet.sections.indices.map { "workspace-\($0 + 1)" }
        var head = HTMLItems(document, in: language).head(of: document)
        head["pageTitle"] = fleet.heading(in: language)
        head["eyebrow"] = fleet.heading(in: language)
        head["contents"] = zip(fleet.sections, places).map { section, place in
            HTMLItems.link(place, section.tone.sign, section.folder, "")
        }
        head["hasContents"] = fleet.sections.count > 1
        renderer.append(.head, head)
        for case .table(let table) in document.parts where !table.rows.isEmpty {
            renderer.append(
                ReportDocument.Section(
                    heading: language.say(.workspaces(fleet.sections.count)), blocks: [.table(table)]),
                anchor: "workspaces", HTMLItems(document, in: language))
        }
        let mostDrawn = max(1, Self.mostDrawn / max(1, fleet.sections.count))
        for (section, place) in zip(fleet.sections, places) {
            // The drawings of a page share one icon, so these have none.
            let document = section.report.document(in: language).withoutIcon
            let items = HTMLItems(document, in: language, at: HTMLAnchor(prefix: place + "-"), mostDrawn: mostDrawn)
            renderer.append(section, document, at: place, items)
            if section.isWorthShowing { renderer.append(document, items) }
        }
        renderer.append(.foot, ["tool": BugleVersion.tool, "live": false])
        return renderer.bytes
    }

    /// Appends the heading of a workspace with what the head of its own page would say.
    private mutating func append(
        _ section: FleetReport.Section, _ document: ReportDocument, at place: String, _ items: HTMLItems
    ) {
        var lines = [section.isWrong ? language.say(section.ending) : nil, section.sentence(in: language)]
        for part in document.parts {
            switch part {
            case .title(let title): lines += ["\(title.workspace) → \(title.remote)   \(title.aside)"] + title.notes
            case .closing(let closing): lines += closing
            case .verdict, .items, .diagnostics, .table, .section: break
            }
        }
        append(
            ReportDocument.Section(heading: section.folder, blocks: lines.compactMap { $0.map { .paragraph($0) } }),
            anchor: place, items)
    }

    private mutating func append(_ document: ReportDocument, _ items: HTMLItems) {
        let sections = document.parts.enumerated().filter { !$0.element.isEmpty }
        append(items)
        for (_, part) in sections {
            if case .diagnostics(let list) = part { append(list, areGrave: true, items.anchor) }
        }
        for (index, part) in sections {
            switch part {
            case .section(let section):
                append(section, anchor: items.anchor.section(index), items)
            case .table(let table):
                let section = ReportDocument.Section(heading: document.title?.what ?? "", blocks: [.table(table)])
                append(section, anchor: items.anchor.section(index), items)
            case .title, .items, .diagnostics, .closing, .verdict: break
            }
        }
        for (_, part) in sections {
            if case .diagnostics(let list) = part { append(list, areGrave: false, items.anchor) }
        }
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
                "blocks": section.blocks.map { items.view(of: $0) },
            ])
    }

    /// Appends diagnostics: errors and warnings come after the changes, notes at the end.
    private mutating func append(_ diagnostics: [Diagnostic], areGrave: Bool, _ anchor: HTMLAnchor) {
        let list = diagnostics.filter { ($0.severity != .note) == areGrave }.sorted { $0.severity < $1.severity }
        guard !list.isEmpty else { return }
        let rest = list.count - Self.mostDiagnostics
        let sourceLine = options.sourceLine(hidingSecretsOf: diagnostics)
        append(
            .diagnostics,
            [
                "anchor": areGrave ? anchor.warnings : anchor.notes,
                "heading": language.say(areGrave ? .warningsHeading : .notes), "count": list.count.grouped,
                "findings": list.prefix(Self.mostDiagnostics).enumerated().map { index, diagnostic in
                    // Advice is given once where several findings in a row have the same.
                    diagnostic.view(withHelp: index == 0 || list[index - 1].help != diagnostic.help, sourceLine)
                },
                "findingsRest": rest > 0 ? "… " + language.say(.more(rest)) as Any : false,
            ])
    }
}

extension ReportDocument {
    /// The document whose drawings have no icon of the app.
    fileprivate var withoutIcon: ReportDocument {
        var document = self
        for (index, part) in parts.enumerated() {
            guard case .title(var title) = part else { continue }
            title.app?.icon = nil
            document.parts[index] = .title(title)
        }
        return document
    }
}

/// The anchors of a page, or of one of its workspaces.
struct HTMLAnchor {
    /// What the anchors of a workspace begin with.
    var prefix = ""

    var warnings: String { prefix + "warnings" }
    var notes: String { prefix + "notes" }
    func item(_ index: Int) -> String { "\(prefix)change-\(index + 1)" }
    func group(_ mark: Mark) -> String { "\(prefix)all-\(mark.rawValue)" }
    func section(_ index: Int) -> String { "\(prefix)section-\(index)" }
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

/// What `bugle dev` shows: the plan of the files as they are, or what is wrong with them beside the last plan that could be
/// made.
package struct LivePage: Hashable, Sendable {
    /// The last plan that could be made; nil before the first.
    package var plan: Plan?
    /// Why there is no plan of the files as they are; nil when ``plan`` is one.
    package var problem: Problem?

    /// What keeps a plan from being made.
    package struct Problem: Hashable, Sendable {
        /// The diagnostics of the files.
        package var diagnostics: [Diagnostic]
        /// What else is to be said, in one sentence.
        package var sentence: String?

        package init(_ diagnostics: [Diagnostic], sentence: String? = nil) {
            self.diagnostics = diagnostics
            self.sentence = sentence
        }
    }

    /// The script that loads the page anew when `/version` says another version.
    package static var script: String { HTMLTemplates.liveScript }

    package init(plan: Plan?, problem: Problem? = nil) {
        self.plan = plan
        self.problem = problem
    }

    /// The plan's page, or that of the diagnostics, as UTF-8.
    package func bytes(version: Int, options: ReportOptions) -> [UInt8] {
        let language = options.language
        let found = problem.map { Report.diagnostics($0.diagnostics).document(in: language) }
        var document = plan.map { Report.plan($0).document(in: language) } ?? found ?? ReportDocument(parts: [])
        if plan != nil, let problem {
            document.parts = document.parts.filter { !$0.isOfNow }
            document.parts += [
                .diagnostics(problem.diagnostics),
                .closing([language.say(.lastGoodPlan)] + [problem.sentence].compactMap(\.self)),
            ]
        } else if let sentence = problem?.sentence {
            document.parts.append(.closing([sentence]))
        }
        return HTMLRenderer(options: options, liveVersion: version).render(document)
    }
}

extension ReportDocument.Part {
    /// True for what would speak of the files as they are, not as they were.
    fileprivate var isOfNow: Bool {
        switch self {
        case .verdict, .diagnostics, .closing: true
        case .title, .items, .table, .section: false
        }
    }
}

extension HTMLItems {
    /// The view of the page's head: the subject, the verdict, the totals, and links.
    func head(of document: ReportDocument, liveVersion: Int? = nil) -> HTMLTemplates.View {
        var view: HTMLTemplates.View = [
            "style": HTMLTemplates.style, "pictured": NotificationDrawing.definitions(of: app),
            "eyebrow": "bugle", "pageTitle": language.say(.otherTitle),
            "title": false, "verdict": false, "closing": false, "live": liveVersion.orNothing,
        ]
        var contents = groups.map(\.link)
        for (index, part) in document.parts.enumerated() where !part.isEmpty {
            switch part {
            case .title(let title):
                let subject = title.headline ?? "\(title.workspace) → \(title.remote)"
                view["pageTitle"] = title.what + language.say(.colon) + subject
                view["eyebrow"] = title.what
                view["title"] = [
                    "headline": title.headline.orNothing, "workspace": title.workspace, "remote": title.remote,
                    "titleAside": title.aside,
                    "notes": title.notes,
                ]
            case .verdict(let verdict): view["verdict"] = ["tone": verdict.tone.colour, "text": verdict.text]
            case .closing(let lines): view["closing"] = lines
            case .section(let section):
                contents.append(Self.link(anchor.section(index), "§", section.heading, ""))
            case .table(let table):
                contents.append(
                    Self.link(anchor.section(index), "§", language.say(.statusTitle), table.rows.count.grouped))
            case .diagnostics(let diagnostics):
                let notes = diagnostics.count { $0.severity == .note }
                if notes < diagnostics.count {
                    contents.append(
                        Self.link(anchor.warnings, "!", language.say(.warnings), (diagnostics.count - notes).grouped))
                }
                if notes > 0 {
                    contents.append(Self.link(anchor.notes, "·", language.say(.notes), notes.grouped))
                }
            case .items: break
            }
        }
        view["contents"] = contents
        view["hasContents"] = contents.count > 1
        return view
    }

    static func link(_ anchor: String, _ symbol: String, _ heading: String, _ count: String) -> HTMLTemplates.View {
        ["anchor": anchor, "symbol": symbol, "heading": heading, "count": count]
    }
}

extension ReportDocument.Verdict.Tone {
    /// The name of its colour in the style sheet.
    fileprivate var colour: String {
        switch self {
        case .fine: "good"
        case .look: "warn"
        case .stop: "bad"
        }
    }
}
