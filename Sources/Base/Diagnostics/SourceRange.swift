/// A position in a text file, as editors count it.
///
/// Lines and columns count from 1; a column is one Unicode scalar.
package struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, from 1.
    package var line: Int
    /// The column in Unicode scalars, from 1.
    package var column: Int

    /// Creates a position; both numbers count from 1.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}

/// A range of a file, as shown in a diagnostic.
package struct SourceRange: Hashable, Comparable, Sendable {
    /// The file's path, relative to the folder the program runs in.
    package var file: String
    /// The position of its first character.
    package var start: SourcePosition
    /// The position after its last character.
    package var end: SourcePosition

    /// Creates a range, one character long without `end`.
    package init(file: String, start: SourcePosition, end: SourcePosition? = nil) {
        self.file = file
        self.start = start
        self.end = end ?? SourcePosition(line: start.line, column: start.column + 1)
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.file != rhs.file { return lhs.file < rhs.file }
        return (lhs.start, lhs.end) < (rhs.start, rhs.end)
    }
}

/// One step from a document's root to a value in it.
package enum FieldPathElement: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// The value under this key of a mapping.
    case key(String)
    /// The element at this place of a sequence, from 0.
    case index(Int)

    package init(stringLiteral value: String) { self = .key(value) }
    package init(integerLiteral value: Int) { self = .index(value) }
}

/// Locates the fields of one document, so that later stages can point at a line of the source.
package protocol FieldLocating: Sendable {
    /// The range of the value at `path`, or of its nearest existing ancestor.
    func range(of path: [FieldPathElement]) -> SourceRange
}
