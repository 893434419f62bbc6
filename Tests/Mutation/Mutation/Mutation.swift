internal import SwiftOperators
internal import SwiftParser
internal import SwiftSyntax

/// One change of one place.
public struct Mutant: Hashable, Sendable {
    /// The number by which it is chosen, from 1.
    public let number: Int
    /// The name of the file.
    public let file: String
    /// The function or property.
    public let name: String
    /// What it does to the place.
    public let change: String
    /// The line of the place.
    public let text: String

    /// The mutant in words that do not change when other lines do.
    public var description: String { "\(file) | \(name) | \(change) | \(text)" }
}

/// A source text with all its mutants.
public struct MutatedSource: Sendable {
    /// The text in which a mutant can be chosen.
    public let text: String
    /// Its mutants, in the order of their numbers.
    public let mutants: [Mutant]

    /// Puts every mutant into a text; the first gets the number `first`.
    public init(_ source: String, file: String, first: Int) throws {
        let tree = try OperatorTable.standardOperators.foldAll(Parser.parse(source: source))
        let finder = MutantFinder(tree, file: file, first: first)
        mutants = finder.mutants
        text = Edit.applied(finder.edits, to: source)
    }
}

/// The text in place of a part of the source.
struct Edit {
    let range: Range<Int>
    let text: String
    /// The beginning of what it closes; nil when it opens or replaces.
    let closed: Int?

    init(_ range: Range<Int>, _ text: String, closes closed: Int? = nil) {
        (self.range, self.text, self.closed) = (range, text, closed)
    }

    init(_ node: some SyntaxProtocol, _ text: String) {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        self.init(start..<node.endPositionBeforeTrailingTrivia.utf8Offset, text)
    }

    /// Applies edits that come in the order of the tree, outer before inner.
    static func applied(_ edits: [Edit], to source: String) -> String {
        let order = edits.enumerated().sorted { one, other in
            let (place, otherPlace) = (one.element.range.lowerBound, other.element.range.lowerBound)
            if place != otherPlace { return place < otherPlace }
            switch (one.element.closed, other.element.closed) {
            // What ends at a place closes before anything opens there, the inner first.
            case (let start?, let otherStart?) where start != otherStart: return start > otherStart
            case (.some, .some): return one.offset > other.offset
            case (.some, nil): return true
            case (nil, .some): return false
            case (nil, nil): return one.offset < other.offset
            }
        }
        let bytes = Array(source.utf8)
        var (result, end): ([UInt8], Int) = ([], 0)
        for (_, edit) in order {
            result += bytes[end..<edit.range.lowerBound] + edit.text.utf8
            end = edit.range.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }
}
