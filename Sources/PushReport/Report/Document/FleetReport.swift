internal import Base
package import Push

/// What a command has to say of many workspaces: a report each, with the whole in one sentence and a table first.
package struct FleetReport: Hashable, Sendable {
    /// One workspace each, in path order.
    package var sections: [Section]

    /// What a command has to say of one workspace.
    package struct Section: Hashable, Sendable {
        /// The workspace's folder, relative to the one that was searched; `.` for that itself.
        package var folder: String
        /// What the command has to say of this workspace alone.
        package var report: Report
        /// What kept it from being done, or what else is to be said of it, in a sentence.
        package var message: String?
        /// The exit code that the command has for this workspace.
        package var exitCode: Int
        /// What the code means.
        package var ending: Phrase
        /// The same folder relative to the current one, which the files of changes are in; empty for that itself.
        package var path: String

        package init(
            folder: String, report: Report, message: String? = nil, exitCode: Int, ending: Phrase, path: String = ""
        ) {
            self.folder = folder
            self.report = report
            self.message = message
            self.exitCode = exitCode
            self.ending = ending
            self.path = path
        }
    }

    package init(_ sections: [Section]) { self.sections = sections }

    /// The line above what is printed of a workspace.
    package static func heading(_ folder: String, options: ReportOptions) -> [UInt8] {
        var writer = TextWriter(style: options.style, language: options.language)
        writer.write("== ", .dim)
        writer.line(folder, .bold)
        return writer.bytes
    }

    /// The whole in one sentence and the table, as text.
    package func summary(options: ReportOptions) -> [UInt8] {
        TextRenderer.render(document(in: options.language), options)
    }

    func text(options: ReportOptions) -> [UInt8] {
        var bytes: [UInt8] = []
        for section in sections {
            bytes += Self.heading(section.folder, options: options)
            if let message = section.message {
                let language = options.language
                var writer = TextWriter(style: options.style, language: language)
                let label = language.say(section.isWrong ? .error : .note) + language.say(.colon)
                writer.line(label + message)
                bytes += writer.bytes
            }
            if section.isWorthShowing { bytes += section.report.bytes(as: .text, options: options) }
            bytes += "\n".utf8
        }
        return bytes + summary(options: options)
    }

    /// The list of what is written of each workspace alone.
    package var file: FleetFile {
        FleetFile(
            sections.map { section in
                FleetFile.Entry(
                    folder: section.folder, exitCode: section.exitCode, message: section.message,
                    written: section.report.jsonBytes)
            })
    }
}

// MARK: - Document

extension FleetReport {
    /// The whole: a sentence, and a row for each workspace.
    func document(in language: Language) -> ReportDocument {
        ReportDocument(parts: [.verdict(verdict(in: language)), .table(table(in: language))])
    }

    /// What the reports are, for headings: `Push plan: 3 workspaces`.
    func heading(in language: Language) -> String {
        let kind = sections.lazy.map(\.report.title).first { $0 != .otherTitle }
        return (kind.map(language.say) ?? "bugle") + language.say(.colon) + language.say(.workspaces(sections.count))
    }

    private func verdict(in language: Language) -> ReportDocument.Verdict {
        guard !sections.isEmpty else { return ReportDocument.Verdict(tone: .fine, text: language.say(.noWorkspace)) }
        let wrong = sections.filter(\.isWrong).map(\.folder)
        let whole = total(in: language)
        let sentences = [whole?.text, language.say(.ofWorkspaces(sections.count, wrong: wrong))].compactMap(\.self)
        return ReportDocument.Verdict(
            tone: wrong.isEmpty ? sections.map(\.tone).max { $0.rank < $1.rank } ?? .fine : .stop,
            text: language.say(.sideBySide(sentences)))
    }

    /// What becomes of all workspaces together; nil where that is nothing.
    private func total(in language: Language) -> ReportDocument.Verdict? {
        let plans = sections.compactMap { if case .plan(let plan) = $0.report { PlanVerdict(of: plan) } else { nil } }
        let results = sections.flatMap { section -> [ApplyReport.Row] in
            if case .apply(let report) = section.report { report.results } else { [] }
        }
        if !results.isEmpty {
            return ReportDocument.Verdict(tone: .fine, text: ApplyReport.sentence(of: results, in: language))
        }
        let whole = PlanVerdict(of: plans)
        guard whole.code != .noChanges else { return nil }
        return ReportDocument.Verdict(tone: whole.tone, text: whole.sentence(remote: "", in: language))
    }

    private func table(in language: Language) -> ReportDocument.Table {
        ReportDocument.Table(
            columns: language.columns([.workspaceColumn, .resultColumn, .inShortColumn]),
            rows: sections.map { section in
                [
                    "\(section.tone.sign) \(section.folder)", section.isWrong ? language.say(section.ending) : nil,
                    section.sentence(in: language),
                ]
            }
        ).withoutEmptyColumns
    }
}

extension FleetReport.Section {
    /// True if the command did not do what it is for.
    var isWrong: Bool { exitCode != 0 && exitCode != 2 }

    /// True if the report says more than the row in the table.
    var isWorthShowing: Bool {
        switch report {
        case .plan(let plan): PlanVerdict(of: plan).code != .noChanges || !plan.diagnostics.isEmpty
        case .diagnostics(let diagnostics): !diagnostics.isEmpty
        case .apply(let report): !report.results.isEmpty
        case .status, .history, .preview, .fleet: true
        }
    }

    /// What it means to a reviewer.
    var tone: ReportDocument.Verdict.Tone {
        if isWrong { return .stop }
        return switch report {
        case .plan(let plan): PlanVerdict(of: plan).tone
        case .diagnostics(let diagnostics):
            message == nil && diagnostics.allSatisfy { $0.severity == .note } ? .fine : .look
        case .apply, .status, .history, .preview, .fleet: .fine
        }
    }

    /// What became of it, or would, in a sentence; nil for nothing.
    func sentence(in language: Language) -> String? {
        if let message { return message }
        guard isWorthShowing || !isWrong else { return nil }
        return switch report {
        case .plan(let plan): PlanVerdict(of: plan).sentence(remote: plan.remote.name, in: language)
        case .apply(let report): report.sentence(in: language)
        case .diagnostics(let diagnostics):
            diagnostics.count == 1 ? diagnostics[0].message : language.counted(diagnostics)
        case .status, .history, .preview, .fleet: nil
        }
    }
}

extension ReportDocument.Verdict.Tone {
    /// The graver, the higher.
    fileprivate var rank: Int {
        switch self {
        case .fine: 0
        case .look: 1
        case .stop: 2
        }
    }
}

// MARK: - Comment

extension FleetReport {
    /// The fewest characters that a section is worth beginning with.
    private static let leastRoom = 1500

    /// The comment: the sentence and the table, then what more there is to say of a workspace, folded.
    func markdown(options: ReportOptions) -> [UInt8] {
        let language = options.language
        var writer = MarkdownWriter(language)
        writer.text(heading(in: language), between: "<h3>", and: "</h3>\n\n")
        let document = document(in: language)
        writer.writeHead(of: document)
        for case .table(let table) in document.parts {
            writer.append(.written(table, upTo: options.markdownLimit / 4, in: language))
        }
        let open = sections.filter(\.isWorthShowing)
        let room = options.markdownLimit - writer.count - 200
        // Those that are wrong come into the comment first, and stand in their order.
        let graver = open.indices.sorted { (open[$1].tone.rank, $0) < (open[$0].tone.rank, $1) }
        let shown = graver.prefix(max(0, room / Self.leastRoom)).sorted().map { open[$0] }
        let heads = shown.map { section in
            var head = MarkdownWriter(language)
            head.text(section.folder, between: "<details>\n<summary>\(section.tone.sign) ", and: "</summary>\n\n")
            return head
        }
        let end = "\n</details>\n\n"
        let texts = MarkdownShares.texts(
            shown.count, in: room - heads.reduce(0) { $0 + $1.count + end.utf16.count }
        ) { index, budget in
            var options = options
            options.markdownLimit = budget
            return shown[index].report.rendered(as: .markdown, options: options)
        }
        for (head, text) in zip(heads, texts) {
            writer.append(head)
            writer.markup(text + end)
        }
        if shown.count < open.count {
            writer.markup("<p>… \(language.say(.workspaces(open.count - shown.count)))</p>\n\n")
        }
        return writer.bytes
    }
}

/// Shares the room of a comment among its parts: what small ones leave goes to the large ones.
package enum MarkdownShares {
    /// Renders parts so that all of them have at most `room` UTF-16 units, as long as each keeps to its budget.
    package static func texts(_ count: Int, in room: Int, _ render: (_ part: Int, _ budget: Int) -> String) -> [String]
    {
        var room = room
        var texts = (0..<count).map { render($0, max(0, room)) }
        let bySize = texts.indices.sorted { texts[$0].utf16.count < texts[$1].utf16.count }
        for (place, index) in bySize.enumerated() {
            let share = max(0, room / (bySize.count - place))
            if texts[index].utf16.count > share { texts[index] = render(index, share) }
            room -= texts[index].utf16.count
        }
        return texts
    }
}
