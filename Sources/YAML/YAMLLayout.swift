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

/// Writes the tokens of a file with canonical white space.
struct LayoutWriter {
    private let list: TokenList
    private var output: [UInt8] = []
    /// The number of characters on the current line.
    private var column = 0

    /// The bytes of a file in the canonical layout.
    static func write(_ list: TokenList) -> [UInt8] {
        var writer = LayoutWriter(list)
        writer.write()
        return writer.output
    }

    private init(_ list: TokenList) {
        self.list = list
        output.reserveCapacity(list.bytes.count + 64)
        if list.bytes.starts(with: TextCursor.byteOrderMark) { output += TextCursor.byteOrderMark }
    }

    private mutating func write() {
        var previous: Token?
        for token in list.tokens {
            separate(token, from: previous)
            write(token)
            previous = token
        }
        guard let last = previous else { return }
        if last.keepsBreaks {
            let least = last.endsWithoutBreak ? 0 : 1
            breakLine(max(least, list.trailingBreaks))
        } else if list.trailingBreaks > 0 || !last.endsWithoutBreak {
            breakLine(1)
        }
    }

    private mutating func separate(_ token: Token, from previous: Token?) {
        guard let previous else { return indent(token.indentation) }
        if token.breaks == 0 {
            indent(spaces(between: previous, and: token))
        } else if token.kind == .blockText {
            breakLine(1)
        } else {
            // At most one blank line, unless the line breaks belong to a value.
            breakLine(previous.keepsBreaks ? token.breaks : min(token.breaks, 2))
            indent(token.indentation)
        }
    }

    private mutating func write(_ token: Token) {
        switch token.kind {
        case .blockText: writeText(token)
        case .scalar: writeValue(token)
        case .marker, .directive, .comment, .dash, .question, .colon, .comma, .open, .close, .property, .alias,
            .blockHeader:
            append(list.bytes[token.range])
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        output += bytes
        column += bytes.count { $0 & 0xC0 != 0x80 }
    }

    private mutating func indent(_ count: Int) {
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
        column += count
    }

    private mutating func breakLine(_ count: Int) {
        output.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: count))
        column = 0
    }
}

extension LayoutWriter {
    /// The number of spaces between two tokens on one line.
    private func spaces(between left: Token, and right: Token) -> Int {
        if right.kind == .comment {
            // Comments aligned below each other stay aligned.
            return max(1, right.column - column)
        }
        switch (left.kind, right.kind) {
        case (.property, .comma), (.property, .close), (.property, .colon), (.alias, .colon): return 1
        // Old parsers read `a:,` as a plain scalar.
        case (.colon, .comma), (.colon, .close), (.question, .comma), (.question, .close): return right.isApart ? 1 : 0
        case (.open, _), (_, .comma), (_, .close): return 0
        case (.dash, .colon), (.question, .colon), (.colon, .colon), (.comma, .colon): return 1
        case (_, .colon): return 0
        default: return 1
        }
    }

    /// Writes a value without a block header; its further lines are folded, so only their line breaks count.
    private mutating func writeValue(_ token: Token) {
        let place = token.place
        let isRoot = place.block == nil && place.flowDepth == 0
        let indentation = isRoot ? 2 : list.indentation(at: Token.Place(block: place.block, flowDepth: place.flowDepth))
        let escapes = list.bytes[token.range.lowerBound] == UInt8(ascii: "\"")
        var start = token.range.lowerBound
        let end = token.range.upperBound
        while true {
            let lineEnd = list.bytes[start..<end].firstIndex(where: \.isBreak)
            var line = list.bytes[start..<(lineEnd ?? end)]
            if start > token.range.lowerBound {
                line = line.drop(while: \.isBlank)
                if !line.isEmpty { indent(indentation) }
            }
            append(lineEnd == nil ? line : Self.trimmed(line, escapes: escapes))
            guard let lineEnd else { return }
            breakLine(1)
            start = BlockScalar.lineAfter(lineEnd, in: list.bytes, end)
        }
    }

    /// A line without trailing white space, except for a blank that a backslash escapes.
    private static func trimmed(_ line: ArraySlice<UInt8>, escapes: Bool) -> ArraySlice<UInt8> {
        let text = line.prefix((line.lastIndex { !$0.isBlank } ?? line.startIndex - 1) - line.startIndex + 1)
        guard escapes, text.count < line.count else { return text }
        let backslashes = text.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
        return backslashes.isMultiple(of: 2) ? text : line.prefix(text.count + 1)
    }

    /// Writes the lines below a block header, shifted as a whole.
    private mutating func writeText(_ token: Token) {
        let end = token.range.upperBound
        var start = token.range.lowerBound
        while true {
            let lineEnd = list.bytes[start..<end].firstIndex(where: \.isBreak)
            let line = list.bytes[start..<(lineEnd ?? end)]
            let spaces = line.prefix(token.oldIndentation).prefix { $0 == UInt8(ascii: " ") }.count
            if spaces < line.count {
                indent(token.indentation)
                append(line.dropFirst(spaces))
            }
            guard let lineEnd else { return }
            breakLine(1)
            start = BlockScalar.lineAfter(lineEnd, in: list.bytes, end)
        }
    }
}

/// Indents comments on lines of their own along with the code they belong to.
enum CommentPlacement {
    static func place(_ list: inout TokenList) {
        var before: Token?
        let following = following(in: list)
        for index in list.tokens.indices {
            let token = list.tokens[index]
            if token.kind == .comment {
                guard token.breaks > 0 || index == 0 else { continue }
                list.tokens[index].indentation = indentation(of: token, between: before, and: following[index], list)
            } else {
                // Nothing is carried over a document boundary.
                before = token.kind == .marker || token.kind == .directive ? nil : token
            }
        }
    }

    /// For each token the index of the next one, or of itself, that is not a comment; nil where a document ends.
    private static func following(in list: TokenList) -> [Int?] {
        var next: Int?
        var places = [Int?](repeating: nil, count: list.tokens.count)
        for index in list.tokens.indices.reversed() {
            switch list.tokens[index].kind {
            case .comment: break
            case .marker, .directive: next = nil
            case .dash, .question, .colon, .comma, .open, .close, .property, .alias, .scalar, .blockHeader, .blockText:
                next = index
            }
            places[index] = next
        }
        return places
    }

    private static func indentation(
        of comment: Token, between before: Token?, and following: Int?, _ list: TokenList
    ) -> Int {
        if comment.place.flowDepth > 0 { return list.indentation(at: comment.place) }
        let next = following.map { list.tokens[$0] }
        guard let before else { return next?.indentation ?? 0 }
        let inner = chain(from: before.place.block, list)
        guard let next else {
            return choose(comment.column, candidates(before, inner, list)) ?? 0
        }
        guard let common = inner.firstIndex(where: { $0 == next.place.block }) else { return next.indentation }
        if common == 0, !(next.place.isEntry && before.awaitsValue) { return next.indentation }
        return choose(comment.column, candidates(before, Array(inner[...common]), list)) ?? next.indentation
    }

    /// The blocks around a place, innermost first.
    private static func chain(from block: Int?, _ list: TokenList) -> [Int] {
        var chain: [Int] = []
        var block = block
        while let index = block {
            chain.append(index)
            block = list.blocks[index].parent
        }
        return chain
    }

    private static func candidates(_ before: Token, _ blocks: [Int], _ list: TokenList) -> [(old: Int, new: Int)] {
        var candidates = blocks.map { (old: list.blocks[$0].column ?? 0, new: list.blocks[$0].indentation) }
        if before.awaitsValue, let inner = candidates.first { candidates.insert((inner.old + 1, inner.new + 2), at: 0) }
        return candidates
    }

    /// The new column of the innermost block that does not begin to the right of a comment; the outer one of a tie.
    private static func choose(_ column: Int, _ candidates: [(old: Int, new: Int)]) -> Int? {
        var chosen: (old: Int, new: Int)?
        for candidate in candidates where candidate.old <= column && candidate.old >= chosen?.old ?? 0 {
            chosen = candidate
        }
        return chosen?.new ?? candidates.last?.new
    }
}

extension Token {
    /// True if a value could follow the token.
    fileprivate var awaitsValue: Bool {
        switch kind {
        case .dash, .question, .colon: true
        case .marker, .directive, .comment, .comma, .open, .close, .property, .alias, .scalar, .blockHeader,
            .blockText:
            false
        }
    }
}

/// One piece of a file that is not white space: the part that stays when the layout changes.
struct Token {
    enum Kind: Hashable {
        /// `---` or `...`.
        case marker
        /// A line that begins with `%`.
        case directive
        /// `#` and what follows on the line.
        case comment
        /// `-` before an element.
        case dash
        /// `?` before a key.
        case question
        /// `:` after a key.
        case colon
        /// `,` between elements in brackets.
        case comma
        /// `[` or `{`.
        case open
        /// `]` or `}`.
        case close
        /// `&name` or `!tag`.
        case property
        /// `*name`.
        case alias
        /// A plain or quoted value, on one line or several.
        case scalar
        /// `|` or `>` with its indicators.
        case blockHeader
        /// The lines below a block header, from the first to the last that is not empty.
        case blockText
    }

    let kind: Kind
    /// The byte range in the file.
    let range: Range<Int>
    /// The number of characters before it on its line.
    let column: Int
    /// The number of line breaks between the previous token and this one.
    let breaks: Int
    /// True if white space stands right before it.
    let isApart: Bool
    /// The place among the blocks.
    var place: Place
    /// The number of spaces before it when it is the first on its line.
    var indentation = 0
    /// True if every line break after it belongs to its value.
    var keepsBreaks = false
    /// True if a line break added after it would become part of its value.
    var endsWithoutBreak = false
    /// The number of spaces to remove from a block text's lines.
    var oldIndentation = 0

    /// The place of a token among the collections around it.
    struct Place {
        /// The index of the innermost block collection; nil outside all.
        var block: Int?
        /// True if it begins an entry of that collection, rather than standing in one.
        var isEntry = false
        /// The number of brackets around it.
        var flowDepth = 0
    }
}

/// A mapping or list without brackets.
struct Block {
    /// The index of the enclosing block.
    let parent: Int?
    /// The number of enclosing blocks.
    let depth: Int
    /// The column of its entries in the file; nil until the first one is read.
    var column: Int?

    /// The column of its entries in the canonical layout: two per level.
    var indentation: Int { 2 * depth }
}

struct TokenList {
    let bytes: [UInt8]
    var tokens: [Token] = []
    var blocks: [Block] = []
    /// The number of line breaks after the last token.
    var trailingBreaks = 0

    /// The column of a value on a line of its own inside a block collection.
    func valueIndentation(in block: Int?) -> Int { block.map { blocks[$0].indentation + 2 } ?? 0 }

    /// The column of a token that is the first on its line.
    func indentation(at place: Token.Place) -> Int {
        if place.flowDepth > 0 { return valueIndentation(in: place.block) + 2 * place.flowDepth }
        if place.isEntry, let block = place.block { return blocks[block].indentation }
        return valueIndentation(in: place.block)
    }

    /// The tokens that must be the same before and after: all but the values, which are compared by meaning.
    var frame: [[UInt8]] {
        tokens.filter { $0.kind != .scalar && $0.kind != .blockText }.map { Array(bytes[$0.range]) }
    }
}

extension UInt8 {
    /// True for a space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    /// True for a byte that ends a line, or the first of two that do.
    var isBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
