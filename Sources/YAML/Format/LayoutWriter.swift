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
        guard let previous else {
            indent(token.kind == .marker || token.kind == .directive ? 0 : token.indentation)
            return
        }
        if token.breaks == 0 {
            indent(spaces(between: previous, and: token))
        } else if token.kind == .blockText {
            breakLine(1)
        } else {
            // At most one blank line, unless the line breaks belong to a value.
            breakLine(previous.keepsBreaks ? token.breaks : min(token.breaks, 2))
            indent(token.kind == .marker || token.kind == .directive ? 0 : token.indentation)
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
