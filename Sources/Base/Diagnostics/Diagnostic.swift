/// The severity of a diagnostic.
package enum Severity: String, Hashable, Comparable, Sendable, CaseIterable {
    /// Planning and applying are refused until it is fixed.
    case error
    /// Worth a reviewer's look; nothing is held back.
    case warning
    /// For information only.
    case note

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .note: 2
        }
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
}

/// A finding about the configuration or the plan: the problem, its place and a remedy.
package struct Diagnostic: Error, Hashable, Sendable {
    /// The severity.
    package var severity: Severity
    /// The stable identifier, printed in brackets.
    package var code: DiagnosticCode
    /// The problem, in one sentence without a final full stop.
    package var message: String
    /// The place in a file, if it has one.
    package var range: SourceRange?
    /// The suggested remedy.
    package var help: String?
    /// Other places that matter, such as the first of two duplicates.
    package var related: [Related]
    /// What a program may write instead; nil when a person must decide.
    package var mend: Mend?

    /// Another place, and its relation to the diagnostic.
    package struct Related: Hashable, Sendable {
        /// A note on the place.
        package var message: String
        /// The place.
        package var range: SourceRange

        /// Attaches a note to a place.
        package init(_ message: String, at range: SourceRange) {
            self.message = message
            self.range = range
        }
    }

    /// Creates a diagnostic.
    package init(
        _ severity: Severity, _ code: DiagnosticCode, _ message: String, at range: SourceRange? = nil,
        help: String? = nil, related: [Related] = [], mend: Mend? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.range = range
        self.help = help
        self.related = related
        self.mend = mend
    }

    /// The printing order: by place, those without a place last; then by severity, code and message.
    package static func precedes(_ lhs: Diagnostic, _ rhs: Diagnostic) -> Bool {
        switch (lhs.range, rhs.range) {
        case (let left?, let right?) where left != right: return left < right
        case (.some, nil): return true
        case (nil, .some): return false
        default: break
        }
        if lhs.severity != rhs.severity { return lhs.severity < rhs.severity }
        if lhs.code != rhs.code { return lhs.code.rawValue < rhs.code.rawValue }
        return lhs.message < rhs.message
    }
}

extension Sequence<Diagnostic> {
    /// The diagnostics in printing order, without duplicates.
    package func sortedForPrinting() -> [Diagnostic] {
        var result: [Diagnostic] = []
        // Diagnostics that the order does not separate are adjacent, and so are equal ones.
        var run: Set<Diagnostic> = []
        for diagnostic in sorted(by: Diagnostic.precedes) {
            if let last = result.last, Diagnostic.precedes(last, diagnostic) { run.removeAll(keepingCapacity: true) }
            if run.insert(diagnostic).inserted { result.append(diagnostic) }
        }
        return result
    }

    /// True if at least one diagnostic is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}
