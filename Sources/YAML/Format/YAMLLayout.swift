package import Base

/// The canonical layout of YAML source text: indentation, spaces, blank lines, final newline.
///
/// Nothing is reordered, requoted or rewritten: comments and values stay as they are, and only the white space between
/// them changes.
///
/// - Blocks are indented by two spaces per level, lists inside mappings too; a value on a line of its own and the
///   continuation lines of a text are indented two spaces more than its key.
/// - One space stands after `-`, `?`, `:` and `,`, none before `:` and `,`, none inside brackets at their ends.
/// - Line breaks stay where they are, but there is at most one blank line in a row, and none at the start or end of the
///   file. Lines and the file end in LF, without white space before it.
/// - A comment on a line of its own is indented like what it belongs to; one after a value keeps its column, or follows
///   the value by one space where that does not fit.
/// - The text of a block (`|`, `>`) keeps its relative indentation, its blank lines and its trailing spaces.
package struct YAMLLayout: Sendable {
    /// The file's name, for diagnostics.
    package let file: String

    /// Creates the layout for a file of this name.
    package init(file: String) { self.file = file }

    /// The result for a file.
    package enum Outcome: Hashable, Sendable {
        /// The file in the canonical layout; equal to the file if it was canonical already.
        case laidOut([UInt8])
        /// The file cannot be read, or its layout cannot change without changing its meaning.
        case refused([Diagnostic])
    }

    /// Returns the canonical layout of a whole file, which has been parsed again: it has the same meaning, comments
    /// included.
    package func lay(out bytes: [UInt8]) -> Outcome {
        let errors = DocumentParser.parse(bytes, file: file).diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else { return .refused(errors) }
        guard let steps = DocumentParser.steps(through: bytes) else { return refused(at: 0, in: bytes) }
        let list = TokenReader.read(bytes, steps)
        let result = LayoutWriter.write(list)
        guard DocumentParser.parse(result, file: file).diagnostics.allSatisfy({ $0.severity != .error }),
            let after = DocumentParser.steps(through: result)
        else { return refused(at: 0, in: bytes) }
        if let step = Self.difference(steps, after) { return refused(at: step, in: bytes) }
        guard list.frame == TokenReader.read(result, after).frame, Self.isDense(result, as: bytes) else {
            return refused(at: 0, in: bytes)
        }
        return .laidOut(result)
    }

    /// The offset of the first value that has changed; nil when there is none.
    private static func difference(_ before: [SourceStep], _ after: [SourceStep]) -> Int? {
        for (old, new) in zip(before, after) where old.content != new.content { return old.range.lowerBound }
        return before.count == after.count ? nil : 0
    }

    /// True if two texts are equal without their white space.
    private static func isDense(_ text: [UInt8], as other: [UInt8]) -> Bool {
        func dense(_ bytes: [UInt8]) -> some Sequence<UInt8> { bytes.lazy.filter { !$0.isBlank && !$0.isBreak } }
        return dense(text).elementsEqual(dense(other))
    }

    private func refused(at offset: Int, in bytes: [UInt8]) -> Outcome {
        var position = SourcePosition(line: 1, column: 1)
        var previous: UInt8 = 0
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") && previous != UInt8(ascii: "\r") || byte == UInt8(ascii: "\r") {
                position = SourcePosition(line: position.line + 1, column: 1)
            } else if byte & 0xC0 != 0x80, !byte.isBreak {
                position.column += 1
            }
            previous = byte
        }
        return .refused([
            Diagnostic(
                .error, .layout, "the layout cannot change here without changing what the file says",
                at: SourceRange(file: file, start: position), help: "write this value in another way")
        ])
    }
}
