/// The severity of a diagnostic.
public enum Severity: String, Hashable, Comparable, Sendable, CaseIterable {
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

    /// Errors come first.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
}

/// A finding about the configuration, in English.
public typealias Diagnostic = DiagnosticOf<String>

/// Another place, and its relation to a diagnostic.
public struct RelatedPlace: Hashable, Sendable {
    /// A note on the place.
    public var message: String
    /// Where it is.
    public var range: SourceRange

    /// Attaches a note to a place.
    public init(_ message: String, at range: SourceRange) {
        self.message = message
        self.range = range
    }
}

/// A finding about the configuration or the plan: the problem, its place and a remedy.
///
/// Its words are texts, or values that every language says in its own words.
public struct DiagnosticOf<Words: Comparable & Hashable & Sendable>: Error, Hashable, Sendable {
    /// How bad it is.
    public var severity: Severity
    /// The stable identifier, printed in brackets.
    public var code: DiagnosticCode
    /// The problem, in one sentence without a final full stop.
    public var message: Words
    /// The place in a file, if it has one.
    public var range: SourceRange?
    /// The suggested remedy.
    public var help: Words?
    /// Other places that matter, such as the first of two duplicates.
    public var related: [RelatedPlace]
    /// What a program may write instead; nil when a person must decide.
    public var mend: Mend?

    /// Creates a diagnostic.
    public init(
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
    public func map<Other>(_ say: (Words) -> Other) -> DiagnosticOf<Other> {
        DiagnosticOf<Other>(severity, code, say(message), at: range, help: help.map(say), related: related, mend: mend)
    }

    /// The printing order: by place, those without a place last; then by severity, code and message.
    public static func precedes(_ lhs: Self, _ rhs: Self) -> Bool {
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
    public func sortedForPrinting<Words>() -> [Element] where Element == DiagnosticOf<Words> {
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
    public var hasErrors: Bool { contains { $0.severity == .error } }
}

/// A position in a text file, as editors count it.
///
/// Lines and columns count from 1; a column is one Unicode scalar.
public struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// Creates a position; both numbers count from 1.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The order in which diagnostics are printed.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}

/// A range of a file, as shown in a diagnostic.
public struct SourceRange: Hashable, Comparable, Sendable {
    /// The file's path, relative to the folder the program runs in.
    public var file: String
    /// The position of its first character.
    public var start: SourcePosition
    /// The position after its last character.
    public var end: SourcePosition

    /// Creates a range, one character long without `end`.
    public init(file: String, start: SourcePosition, end: SourcePosition? = nil) {
        self.file = file
        self.start = start
        self.end = end ?? SourcePosition(line: start.line, column: start.column + 1)
    }

    /// The order in which diagnostics are printed.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.file != rhs.file { return lhs.file < rhs.file }
        return (lhs.start, lhs.end) < (rhs.start, rhs.end)
    }
}

/// One step from a document's root to a value in it.
public enum FieldPathElement: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The value under this key of a mapping.
    case key(String)
    /// The element at this place of a sequence, from 0.
    case index(Int)

    /// A key of a mapping.
    public init(stringLiteral value: String) { self = .key(value) }
    /// An element of a list.
    public init(integerLiteral value: Int) { self = .index(value) }
}

/// Locates the fields of one document, so that later stages can point at a line of the source.
public protocol FieldLocating: Sendable {
    /// The range of the value at `path`, or of its nearest existing ancestor.
    func range(of path: [FieldPathElement]) -> SourceRange

    /// The other places that have to do with a range of the document: where a part that it is in is used.
    func places(behind range: SourceRange) -> [RelatedPlace]
}

extension FieldLocating {
    /// None, unless a locator knows of others.
    public func places(behind _: SourceRange) -> [RelatedPlace] { [] }
}

/// A text that a program may write in the place of what is wrong, because it can only be meant so.
public struct Mend: Hashable, Sendable {
    /// The place, within one line.
    public var range: SourceRange
    /// The text that is written there.
    public var text: String

    /// Creates a mend; nil for a place of several lines.
    public init?(_ text: String, at range: SourceRange) {
        guard range.start.line == range.end.line else { return nil }
        self.range = range
        self.text = text
    }
}

/// What to do about a mistake: the sentence that says so, and the text that a program may write instead.
public struct Advice: Hashable, Sendable {
    /// What to do.
    public let sentence: String
    /// The text; nil when a person must decide.
    public let text: String?

    /// Creates advice, with the text that a reader can take over.
    public init(_ sentence: String, writing text: String? = nil) {
        self.sentence = sentence
        self.text = text
    }

    /// The advice to write a text.
    public static func write(_ text: String) -> Advice { Advice("write \(text)", writing: text) }
}

/// Suggests corrections for misspelled names.
public enum Suggestion {
    /// The candidate nearest to a text, the first one of a tie; nil when none is close enough.
    ///
    /// The limit is a third of the text's length in edits (insertion, deletion, replacement, swap of neighbours), but
    /// at least one edit; case does not count as an edit.
    public static func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
        near(text, among: candidates)?.name
    }

    /// The nearest candidate; nil when none is close enough, or another one is as close.
    public static func only(to text: String, among candidates: some Sequence<String>) -> String? {
        near(text, among: candidates).flatMap { $0.isAlone ? $0.name : nil }
    }

    private static func near(
        _ text: String, among candidates: some Sequence<String>
    ) -> (name: String, distance: Int, isAlone: Bool)? {
        let wanted = Array(text.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
        var best: (name: String, distance: Int, isAlone: Bool)?
        for candidate in candidates {
            let limit = best?.distance ?? max(1, wanted.count / 3)
            let scalars = Array(candidate.lowercased().unicodeScalars)
            guard limit >= 0, abs(scalars.count - wanted.count) <= limit else { continue }
            let distance = distance(wanted, scalars)
            guard distance <= limit, distance < wanted.count else { continue }
            if distance == best?.distance {
                if candidate != best?.name { best?.isAlone = false }
            } else {
                best = (candidate, distance, true)
            }
        }
        return best
    }

    /// `; did you mean 'x'?`, or an empty string.
    public static func ending(for text: String, among candidates: some Sequence<String>) -> String {
        nearest(to: text, among: candidates).map { "; did you mean \(quoted($0))?" } ?? ""
    }

    /// The optimal string alignment distance.
    private static func distance(_ from: [Unicode.Scalar], _ to: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in 1..<(from.count + 1) {
            var current = [row]
            for column in 1..<(to.count + 1) {
                let isEqual = from[row - 1] == to[column - 1]
                var cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isEqual ? 0 : 1))
                if row > 1, column > 1, from[row - 1] == to[column - 2], from[row - 2] == to[column - 1] {
                    cost = min(cost, beforeLast[column - 2] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[to.count]
    }
}
