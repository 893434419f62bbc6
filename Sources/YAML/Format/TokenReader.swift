/// Splits a file into tokens along the steps of the parser; tokens between the values are recognised by their first
/// character.
struct TokenReader {
    private(set) var list: TokenList
    private var cursor: TextCursor
    private var frames: [Frame] = []
    private var flowDepth = 0
    /// True if the last tokens are a block header whose value keeps the line breaks after it.
    private var keepsBreaks = false

    /// An open collection.
    private struct Frame {
        let isMapping: Bool
        /// The index of its block; nil in brackets.
        let block: Int?
        var children = 0
        /// True if the next key follows a `?`.
        var isKeyMarked = false
    }

    /// Splits a file that the parser has walked through.
    static func read(_ bytes: [UInt8], _ steps: [SourceStep]) -> TokenList {
        var reader = TokenReader(bytes)
        for step in steps { reader.take(step) }
        reader.readGap(to: bytes.count)
        reader.list.trailingBreaks = reader.cursor.takeGap().breaks
        CommentPlacement.place(&reader.list)
        return reader.list
    }

    private init(_ bytes: [UInt8]) {
        list = TokenList(bytes: bytes)
        cursor = TextCursor(bytes)
    }

    private mutating func take(_ step: SourceStep) {
        let range = step.range
        switch step.kind {
        case .documentStart, .documentEnd: break
        case .scalar:
            readGap(to: range.lowerBound)
            readScalar(step)
            countChild()
        case .alias:
            readGap(to: range.lowerBound)
            add(.alias, to: range.upperBound, at: nodePlace)
            countChild()
        case .mappingStart, .sequenceStart:
            readGap(to: range.lowerBound)
            if step.isFlow {
                readGap(to: range.upperBound, at: nodePlace)
                frames.append(Frame(isMapping: step.kind == .mappingStart, block: nil))
            } else {
                openBlock(isMapping: step.kind == .mappingStart)
                readProperties(to: range.upperBound, at: Token.Place(block: block, isEntry: true))
            }
        case .mappingEnd, .sequenceEnd:
            // Tokens before the end of a block may belong to a block around it.
            let isFlow = frames.last?.block == nil
            if isFlow { readGap(to: range.lowerBound) }
            _ = frames.popLast()
            if isFlow { readGap(to: range.upperBound) }
            countChild()
        }
    }

    private var block: Int? { frames.last { $0.block != nil }?.block }

    private mutating func openBlock(isMapping: Bool) {
        let parent = block
        list.blocks.append(Block(parent: parent, depth: parent.map { list.blocks[$0].depth + 1 } ?? 0))
        frames.append(Frame(isMapping: isMapping, block: list.blocks.count - 1))
    }

    private mutating func countChild() {
        guard !frames.isEmpty else { return }
        frames[frames.count - 1].children += 1
        frames[frames.count - 1].isKeyMarked = false
    }

    /// The place of the next value: a key begins an entry, unless a `?` does.
    private var nodePlace: Token.Place {
        let isKey = frames.last.map { $0.isMapping && $0.children.isMultiple(of: 2) && !$0.isKeyMarked } ?? false
        return Token.Place(block: block, isEntry: isKey && flowDepth == 0, flowDepth: flowDepth)
    }
}

extension TokenReader {
    /// Adds the token from the cursor up to an offset.
    private mutating func add(_ kind: Token.Kind, to end: Int, at place: Token.Place, isOfBlock: Bool = true) {
        let gap = cursor.takeGap()
        let column = cursor.column
        if isOfBlock, kind != .comment { noteColumn(column) }
        let start = cursor.offset
        cursor.move(to: end)
        var token = Token(
            kind: kind, range: start..<end, column: column, breaks: gap.breaks, isApart: gap.isApart, place: place)
        token.indentation = list.indentation(at: place)
        if kind == .blockHeader || kind == .blockText || kind == .comment && gap.breaks == 0 {
            token.keepsBreaks = keepsBreaks
        } else {
            keepsBreaks = false
        }
        list.tokens.append(token)
    }

    /// Sets the block's column, which is that of its first token.
    private mutating func noteColumn(_ column: Int) {
        guard flowDepth == 0, let block, list.blocks[block].column == nil else { return }
        list.blocks[block].column = column
    }

    /// Reads the tokens between two values.
    private mutating func readGap(to end: Int) { readGap(to: end, at: nil) }

    private mutating func readGap(to end: Int, at node: Token.Place?) {
        while cursor.skipBlanks(to: end) { readPiece(to: end, at: node) }
    }

    private mutating func readPiece(to end: Int, at node: Token.Place?) {
        let entry = Token.Place(block: block, isEntry: flowDepth == 0, flowDepth: flowDepth)
        let next = cursor.offset + 1
        if cursor.isAtMarker {
            add(.marker, to: cursor.offset + 3, at: Token.Place())
            return
        }
        switch cursor.byte {
        case UInt8(ascii: "#"): add(.comment, to: cursor.endOfComment, at: entry)
        case UInt8(ascii: "-"): add(.dash, to: next, at: entry)
        case UInt8(ascii: "?"):
            if flowDepth == 0, !frames.isEmpty { frames[frames.count - 1].isKeyMarked = true }
            add(.question, to: next, at: entry)
        case UInt8(ascii: ":"): add(.colon, to: next, at: entry)
        case UInt8(ascii: ","): add(.comma, to: next, at: entry)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            add(.open, to: next, at: node ?? nodePlace)
            flowDepth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            flowDepth = max(0, flowDepth - 1)
            add(.close, to: next, at: Token.Place(block: block, flowDepth: flowDepth))
        case UInt8(ascii: "%") where cursor.column == 0: add(.directive, to: cursor.endOfDirective, at: Token.Place())
        default: add(.property, to: cursor.endOfProperty(inFlow: flowDepth > 0), at: node ?? nodePlace)
        }
    }

    /// Reads the anchor and tag before a value, and comments between them.
    private mutating func readProperties(to end: Int, at place: Token.Place, isOfBlock: Bool = false) {
        while cursor.skipBlanks(to: end) {
            switch cursor.byte {
            case UInt8(ascii: "&"), UInt8(ascii: "!"):
                let end = cursor.endOfProperty(inFlow: flowDepth > 0)
                add(.property, to: end, at: place, isOfBlock: isOfBlock)
            case UInt8(ascii: "#"): add(.comment, to: cursor.endOfComment, at: place)
            default: return
            }
        }
    }

    private mutating func readScalar(_ step: SourceStep) {
        let place = nodePlace
        let end = step.range.upperBound
        if step.content.anchor != nil || step.content.tag != nil {
            readProperties(to: end, at: place, isOfBlock: true)
        }
        guard cursor.skipBlanks(to: end) else { return }
        guard step.isBlockScalar else {
            add(.scalar, to: end, at: place)
            return
        }
        var scalar = BlockScalar(list.bytes, from: cursor.offset, to: end)
        keepsBreaks = scalar.keepsBreaks
        add(.blockHeader, to: scalar.headerEnd, at: place)
        let column = block.flatMap { list.blocks[$0].column }
        scalar.findText(blockColumn: column)
        if let comment = scalar.comment {
            _ = cursor.skipBlanks(to: comment)
            add(.comment, to: cursor.endOfComment, at: place)
        }
        guard let text = scalar.text else { return }
        // The lines before the text belong to it: they are written unchanged, from the header's line break on.
        cursor.moveToText(text.lowerBound)
        add(.blockText, to: text.upperBound, at: place)
        let last = list.tokens.count - 1
        list.tokens[last].oldIndentation = scalar.indentation
        list.tokens[last].indentation = (block.map { list.blocks[$0].indentation } ?? 0) + (scalar.indicator ?? 2)
        list.tokens[last].endsWithoutBreak = !scalar.stripsBreaks
    }
}
