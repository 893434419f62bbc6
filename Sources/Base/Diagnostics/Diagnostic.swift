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

/// A finding about the configuration, in English.
package typealias Diagnostic = DiagnosticOf<String>

/// Another place, and its relation to a diagnostic.
package struct RelatedPlace: Hashable, Sendable {
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

/// A finding about the configuration or the plan: the problem, its place and a remedy.
///
/// Its words are texts, or values that every language says in its own words.
package struct DiagnosticOf<Words: Comparable & Hashable & Sendable>: Error, Hashable, Sendable {
    /// The severity.
    package var severity: Severity
    /// The stable identifier, printed in brackets.
    package var code: DiagnosticCode
    /// The problem, in one sentence without a final full stop.
    package var message: Words
    /// The place in a file, if it has one.
    package var range: SourceRange?
    /// The suggested remedy.
    package var help: Words?
    /// Other places that matter, such as the first of two duplicates.
    package var related: [RelatedPlace]
    /// What a program may write instead; nil when a person must decide.
    package var mend: Mend?

    /// Creates a diagnostic.
    package init(
        _ severity: Severity, _ code: DiagnosticCode, _ message: Words, at range: SourceRange? = nil,
        help: Words? = nil, related: [RelatedPlace] = [], mend: Mend? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.range = range
        self.help = help
        self.related = related
        self.mend = mend
    }

    /// The diagnostic in other words.
    package func map<Other>(_ say: (Words) -> Other) -> DiagnosticOf<Other> {
        DiagnosticOf<Other>(
            severity, code, say(message), at: range, help: help.map(say), related: related, mend: mend)
    }

    /// The printing order: by place, those without a place last; then by severity, code and message.
    package static func precedes(_ lhs: Self, _ rhs: Self) -> Bool {
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

extension Sequence {
    /// The diagnostics in printing order, without duplicates.
    package func sortedForPrinting<Words>() -> [Element] where Element == DiagnosticOf<Words> {
        var result: [Element] = []
        // Diagnostics that the order does not separate are adjacent, and so are equal ones.
        var run: Set<Element> = []
        for diagnostic in sorted(by: Element.precedes) {
            if let last = result.last, Element.precedes(last, diagnostic) { run.removeAll(keepingCapacity: true) }
            if run.insert(diagnostic).inserted { result.append(diagnostic) }
        }
        return result
    }
}

extension Sequence<Diagnostic> {
    /// True if at least one diagnostic is an error.
    package var hasErrors: Bool { contains { $0.severity == .error } }
}
