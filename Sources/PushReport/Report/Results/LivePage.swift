package import Base
package import Push

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
