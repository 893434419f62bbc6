internal import Diagnostics
internal import PushModel
internal import PushPlan
internal import PushReport

/// The one comment of a pull request: what an apply would do, and what the reader needs to know of it.
struct CommentBody: Sendable {
    /// The most characters of a comment, in UTF-16 units; GitHub takes 65,536 at most.
    static let limit = 65_000

    /// Its first line.
    var marker: CommentMarker
    /// What was planned, a part each; none: there is no plan at all.
    var reviews: [SavedReview]
    /// What the planning ended with; nil: not told.
    var ending: EndedWith?
    /// The commit that was planned.
    var commit: String?
    /// Where the whole page is.
    var artifact: String?

    /// The Markdown, at most ``limit`` characters.
    ///
    /// - Parameter render: a report as Markdown of at most so many UTF-16 units.
    func markdown(_ render: (Report, _ budget: Int) -> String) -> String {
        let head = ([marker.line] + warning).joined(separator: "\n\n") + "\n\n"
        let foot = "\n---\n\n" + footer.joined(separator: "\n") + "\n"
        let room = Self.limit - head.utf16.count - foot.utf16.count
        return head + parts(room, render).joined(separator: "\n") + foot
    }

    /// Small parts leave their room to the large ones.
    private func parts(_ room: Int, _ render: (Report, _ budget: Int) -> String) -> [String] {
        var room = room - reviews.count
        let reports = reviews.map(\.report)
        let whole = reports.map { render($0, room) }
        var parts = whole
        let bySize = whole.indices.sorted { whole[$0].utf16.count < whole[$1].utf16.count }
        for (place, index) in bySize.enumerated() {
            let share = max(0, room / (bySize.count - place))
            if whole[index].utf16.count > share { parts[index] = render(reports[index], share) }
            room -= parts[index].utf16.count
        }
        return parts
    }

    private var warning: [String] {
        if reviews.isEmpty {
            return [
                "**There is no plan**\(ending.map { ": \($0.meaning) (exit code \($0.code))" } ?? ""). The log says why."
            ]
        }
        guard let ending, !ending.isGood else { return [] }
        return ["**Exit code \(ending.code)**: \(ending.meaning)."]
    }

    private var footer: [String] {
        var lines: [String] = []
        if let commit { lines.append("Planned from `\(commit.prefix(10))`.") }
        lines += reviews.compactMap(\.validity)
        if let artifact { lines.append("[The whole page](<\(artifact)>).") }
        if reviews.contains(where: \.isApplicable) {
            let who = ending?.code == UInt8(ExitStatus.stale.rawValue) ? "Whoever approves it" : "A merge"
            lines.append(
                "\(who) carries out exactly this plan, or, when anything has moved by then, nothing (exit code 9). "
                    + "By hand: `bugle apply PLAN`. A push cannot be taken back.")
        }
        return lines.isEmpty ? ["Nothing can be applied."] : lines
    }
}

extension SavedReview {
    /// What is shown of it.
    var report: Report {
        switch self {
        case .plan(let plan): .plan(plan)
        case .diagnostics(let diagnostics): .diagnostics(diagnostics)
        }
    }

    /// Until when it holds, in one sentence; nil when there is nothing to hold.
    fileprivate var validity: String? {
        switch self {
        case .diagnostics: "The configuration is invalid: nothing can be planned or applied before it is put right."
        case .plan(let plan):
            if plan.isSimulated {
                "The plan for \(code(plan.remote.name)) was made with `--now` or `--against`: it is never applied."
            } else {
                "The plan for \(code(plan.remote.name)) holds until \(plan.expiresAt.text)."
            }
        }
    }

    fileprivate var isApplicable: Bool {
        switch self {
        case .diagnostics: false
        case .plan(let plan): !plan.isSimulated && plan.hasChanges
        }
    }

    /// A name as code, which cannot end before the name does.
    private func code(_ name: String) -> String {
        let short: Substring = name.prefix(100)
        return "`" + escaped(String(short)).replacing("`", with: "'") + "`"
    }
}
