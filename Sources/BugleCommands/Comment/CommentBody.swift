internal import ArgumentParser
internal import Base
internal import Push
internal import PushReport

/// A pull request's sticky comment: the changes of an apply, and the context that a reviewer needs.
struct CommentBody: Sendable {
    /// The maximum length of a comment in UTF-16 units; GitHub accepts at most 65,536.
    static let limit = 65_000

    /// The first line.
    var marker: CommentMarker
    var language: Language
    /// The saved results of planning, one part each; empty when there is no plan at all.
    var reviews: [SavedReview]
    /// The exit code of planning; nil when not given.
    var ending: EndedWith?
    var commit: String?
    /// The URL of the full page.
    var artifact: String?
    /// What the apply of the reviewed plan did; nil before it.
    var applied: AppliedResult?

    /// The Markdown, at most ``limit`` characters.
    func markdown() -> String {
        let head = ([marker.line] + warning).joined(separator: "\n\n") + "\n\n"
        let foot = "\n---\n\n" + footer.joined(separator: "\n") + "\n"
        let room = Self.limit - head.utf16.count - foot.utf16.count
        return head + parts(room).joined(separator: "\n") + foot
    }

    private func render(_ report: Report, _ budget: Int) -> String {
        report.rendered(as: .markdown, options: ReportOptions(language: language, markdownLimit: max(0, budget)))
    }

    /// Renders the parts; the room that small parts leave goes to the large ones.
    private func parts(_ room: Int) -> [String] {
        let reports = [applied?.report].compactMap(\.self) + reviews.map(\.report)
        let room = room - reports.count * (1 + (applied == nil ? 0 : folded("").utf16.count))
        let parts = MarkdownShares.texts(reports.count, in: room) { render(reports[$0], $1) }
        guard applied != nil, !isStale else { return parts }
        // What was done comes first, what was reviewed stays to be looked up.
        return parts.prefix(parts.count - reviews.count) + parts.suffix(reviews.count).map(folded)
    }

    private func folded(_ part: String) -> String {
        "<details>\n<summary>\(language.say(.reviewedPlan))</summary>\n\n\(part)\n</details>\n"
    }

    /// True if the plans are new ones, to be reviewed: of many workspaces others may have been applied.
    private var isStale: Bool { ending?.code == UInt8(ExitStatus.stale.rawValue) }

    private var warning: [String] {
        if let applied, applied.report == nil {
            return [language.say(.noResult(ending.map { (language.say($0.meaning), $0.code) }))]
        }
        if reviews.isEmpty, applied == nil {
            return [language.say(.noPlan(ending.map { (language.say($0.meaning), $0.code) }))]
        }
        // That nothing was applied is true of single workspaces only, and their rows say so.
        guard let ending, !ending.isGood, applied == nil || !isStale else { return [] }
        return [language.say(.exitCode(ending.code, language.say(ending.meaning)))]
    }

    private var footer: [String] {
        var lines: [String] = []
        if let applied {
            let commit = commit.map { Phrase.appliedFrom(commit: String($0.prefix(10)), page: applied.commit?.text) }
            let pages = [applied.job.map { Phrase.job($0.text) }, applied.pull.map { .pullRequest($0.text) }]
            lines = ([commit] + pages).compactMap { $0.map(language.say) }
            guard isStale else { return lines }
        } else if let commit {
            lines.append(language.say(.plannedFrom(String(commit.prefix(10)))))
        }
        lines += reviews.flatMap { $0.validity(in: language) }
        if let artifact { lines.append(language.say(.wholePage(artifact))) }
        if reviews.contains(where: \.isApplicable) {
            lines.append(language.say(.carriesOut(who: language.say(isStale ? .whoeverApproves : .aMerge))))
        }
        return lines.isEmpty ? [language.say(.nothingToApply)] : lines
    }
}

extension SavedReview {
    var report: Report {
        switch self {
        case .plan(let plan): .plan(plan)
        case .diagnostics(let diagnostics): .diagnostics(diagnostics)
        case .fleet(let members):
            .fleet(
                FleetReport(
                    members.map { member in
                        FleetReport.Section(
                            folder: member.folder, member.review.report, message: member.message,
                            exitCode: member.exitCode)
                    }))
        }
    }

    /// Sentences on how long the plan can be applied, if at all; of many, on the one that can be the shortest.
    fileprivate func validity(in language: Language) -> [String] {
        switch self {
        case .diagnostics: [language.say(.invalidConfiguration)]
        case .plan(let plan):
            if plan.isSimulated {
                [language.say(.neverApplied(code(plan.remote.name)))]
            } else {
                [language.say(.holdsUntil(code(plan.remote.name), plan.expiresAt))]
            }
        case .fleet(let members):
            [members.compactMap(\.review.simulated), members.compactMap(\.review.lasting)]
                .compactMap { plans in plans.min { $0.expiresAt < $1.expiresAt } }
                .flatMap { SavedReview.plan($0).validity(in: language) }
        }
    }

    private var simulated: Plan? { if case .plan(let plan) = self, plan.isSimulated { plan } else { nil } }
    private var lasting: Plan? { if case .plan(let plan) = self, !plan.isSimulated { plan } else { nil } }

    /// The workspace's language; nil when it has none.
    var language: Language? { report.language }

    fileprivate var isApplicable: Bool {
        switch self {
        case .diagnostics: false
        case .plan(let plan): !plan.isSimulated && plan.hasChanges
        case .fleet(let members): members.contains(where: \.review.isApplicable)
        }
    }

    /// A name as inline code that the name itself cannot end.
    private func code(_ name: String) -> String {
        let short: Substring = name.prefix(100)
        return "`" + escaped(String(short)).replacingScalars(by: ["`": "'"]) + "`"
    }
}

extension FleetReport.Section {
    /// What a command has to say of one workspace, with what its exit code means.
    init(folder: String, _ report: Report, message: String?, exitCode: Int, path: String = "") {
        self.init(
            folder: folder, report: report, message: message, exitCode: exitCode,
            ending: ExitStatus(rawValue: Int32(clamping: exitCode))?.label ?? .endedOtherwise, path: path)
    }
}

/// A commit on the command line: 7 to 64 hexadecimal digits, and so nothing that Markdown would interpret.
struct CommitHash: ExpressibleByArgument, Sendable {
    /// The digits.
    let text: String

    init?(argument: String) {
        guard (7...64).contains(argument.utf8.count), argument.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return nil
        }
        text = argument
    }
}

extension PageLink: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

/// A program's exit code on the command line.
struct EndedWith: ExpressibleByArgument, Sendable {
    /// The code, 0 to 255; above 128 when a signal ended the program.
    let code: UInt8

    init?(argument: String) {
        guard let code = UInt8(argument) else { return nil }
        self.code = code
    }

    /// True when nothing was wrong.
    var isGood: Bool { code == ExitStatus.success.rawValue || code == ExitStatus.changes.rawValue }

    var meaning: Phrase { ExitStatus(rawValue: Int32(code))?.label ?? .endedOtherwise }
}

/// The hidden first line that identifies a pull request's sticky comment.
struct CommentMarker: ExpressibleByArgument, Hashable, Sendable {
    /// The id of the comment, for pull requests with several: letters, digits and `-`, at most 64.
    let id: String

    /// Creates a marker; nil for an invalid id.
    init?(argument: String) {
        let isPlain = argument.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        // `--` would end the HTML comment too early in some parsers.
        guard isPlain, !argument.isEmpty, argument.utf8.count <= 64, !argument.contains("--") else { return nil }
        id = argument
    }

    static let plan = CommentMarker(id: "plan")

    private init(id: String) { self.id = id }

    /// The default value as shown in help.
    var defaultValueDescription: String { id }

    var line: String { "<!-- bugle:\(id) -->" }

    /// True if a comment begins with the marker; further down it is a quotation.
    func begins(_ body: String) -> Bool {
        let first = body.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }
        return String(String.UnicodeScalarView(first)).trimmingSpaces == line
    }
}
