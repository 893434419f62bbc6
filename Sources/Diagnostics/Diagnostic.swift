/// How grave a diagnostic is.
package enum Severity: String, Hashable, Comparable, Sendable, CaseIterable {
    /// Nothing is planned or applied while it stands.
    case error
    /// Worth a reviewer's look; nothing is held back.
    case warning
    /// Said for information.
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

/// One thing to say about the configuration or the plan: what, where, and what to do.
package struct Diagnostic: Error, Hashable, Sendable {
    /// How grave it is.
    package var severity: Severity
    /// The stable identifier, printed in brackets.
    package var code: DiagnosticCode
    /// What is wrong, in one sentence without a final stop.
    package var message: String
    /// Where, when it has a place in a file.
    package var range: SourceRange?
    /// What to do about it.
    package var help: String?
    /// Other places that matter, such as the first of two duplicates.
    package var related: [Related]

    /// Another place, with what it has to do with this one.
    package struct Related: Hashable, Sendable {
        /// What is there.
        package var message: String
        /// Where.
        package var range: SourceRange

        /// Names a place and what is there.
        package init(_ message: String, at range: SourceRange) {
            self.message = message
            self.range = range
        }
    }

    /// Makes a diagnostic.
    package init(
        _ severity: Severity, _ code: DiagnosticCode, _ message: String, at range: SourceRange? = nil,
        help: String? = nil, related: [Related] = []
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.range = range
        self.help = help
        self.related = related
    }

    /// The order in which diagnostics are printed: by place, those without one last; then severity, code, message.
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
    /// The diagnostics in printing order, each once.
    package func sortedForPrinting() -> [Diagnostic] {
        var result: [Diagnostic] = []
        // Those that no order separates stand together, and so do equal ones.
        var run: Set<Diagnostic> = []
        for diagnostic in sorted(by: Diagnostic.precedes) {
            if let last = result.last, Diagnostic.precedes(last, diagnostic) { run.removeAll(keepingCapacity: true) }
            if run.insert(diagnostic).inserted { result.append(diagnostic) }
        }
        return result
    }

    /// Whether any of them is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}
