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
        let (range, kind) = (step.range, step.content.kind)
        switch kind {
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .failure: break
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
                frames.append(Frame(isMapping: kind == .mappingStart, block: nil))
            } else {
                openBlock(isMapping: kind == .mappingStart)
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
    private mutating func readGap(to end: Int, at node: Token.Place? = nil) {
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

/// A forward-only position in a file that tracks its column and the white space skipped.
struct TextCursor {
    private let bytes: [UInt8]
    /// The offset of the current byte.
    private(set) var offset: Int
    /// The number of characters before it on its line.
    private(set) var column = 0
    private var breaks = 0
    private var isApart = false

    /// Starts after the byte-order mark, if there is one.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    var byte: UInt8 { bytes[offset] }

    /// Skips white space and line breaks; false when nothing else comes before `end`.
    mutating func skipBlanks(to end: Int) -> Bool {
        while offset < end, bytes[offset].isBlank || bytes[offset].isBreak {
            if bytes[offset].isBreak, !isInsideBreak { breaks += 1 }
            isApart = true
            step()
        }
        return offset < end
    }

    /// Returns the white space skipped since the last token, and resets it.
    mutating func takeGap() -> (breaks: Int, isApart: Bool) {
        defer { (breaks, isApart) = (0, false) }
        return (breaks, isApart)
    }

    mutating func move(to end: Int) {
        while offset < end { step() }
    }

    /// Moves to the first line of a block's text, which follows its header's line.
    mutating func moveToText(_ start: Int) {
        _ = takeGap()
        while offset < start { step() }
        breaks = 1
    }

    private mutating func step() {
        let byte = bytes[offset]
        let isEnd = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && !isBefore(UInt8(ascii: "\n"))
        if isEnd {
            column = 0
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
        offset += 1
    }

    /// True on the second byte of CR LF.
    private var isInsideBreak: Bool {
        bytes[offset] == UInt8(ascii: "\n") && offset > 0 && bytes[offset - 1] == UInt8(ascii: "\r")
    }

    private func isBefore(_ byte: UInt8) -> Bool { offset + 1 < bytes.count && bytes[offset + 1] == byte }
}

extension TextCursor {
    /// True if `---` or `...` stands alone at the beginning of a line.
    var isAtMarker: Bool {
        guard column == 0, offset + 3 <= bytes.count else { return false }
        let text = bytes[offset..<offset + 3]
        guard text.elementsEqual("---".utf8) || text.elementsEqual("...".utf8) else { return false }
        return offset + 3 == bytes.count || bytes[offset + 3].isBlank || bytes[offset + 3].isBreak
    }

    /// The end of a comment, without the white space after it.
    var endOfComment: Int {
        let end = bytes[offset...].firstIndex(where: \.isBreak) ?? bytes.count
        return trimmed(end)
    }

    /// The end of a directive, without the comment and white space after it.
    var endOfDirective: Int {
        var end = offset
        while end < bytes.count, !bytes[end].isBreak {
            if bytes[end] == UInt8(ascii: "#"), bytes[end - 1].isBlank { break }
            end += 1
        }
        return trimmed(end)
    }

    /// The end of an anchor or tag.
    func endOfProperty(inFlow: Bool) -> Int {
        var end = offset + 1
        let isVerbatim = bytes[offset] == UInt8(ascii: "!") && end < bytes.count && bytes[end] == UInt8(ascii: "<")
        while end < bytes.count, !bytes[end].isBlank, !bytes[end].isBreak {
            if isVerbatim, bytes[end - 1] == UInt8(ascii: ">") { break }
            if inFlow, !isVerbatim, ",[]{}".utf8.contains(bytes[end]) { break }
            end += 1
        }
        return end
    }

    private func trimmed(_ end: Int) -> Int {
        var end = end
        while end > offset + 1, bytes[end - 1].isBlank { end -= 1 }
        return end
    }
}

/// The parts of a value in `|` or `>`.
struct BlockScalar {
    private let bytes: [UInt8]
    private let end: Int
    private let firstLine: Int
    /// The indentation given in the header; nil when the first line determines it.
    let indicator: Int?
    /// The offset after `|` or `>` and its indicators.
    let headerEnd: Int
    /// The offset of the header's comment.
    let comment: Int?
    /// True for `+`: the line breaks at the end belong to the value.
    let keepsBreaks: Bool
    /// True for `-`: no line break at the end belongs to the value.
    let stripsBreaks: Bool
    /// The range from the first line to the end of the last one that is not blank; nil when all are.
    private(set) var text: Range<Int>?
    /// The number of spaces before the text of the lines.
    private(set) var indentation = 0

    init(_ bytes: [UInt8], from start: Int, to end: Int) {
        self.bytes = bytes
        self.end = end
        headerEnd = bytes[start..<end].firstIndex { !"|>+-0123456789".utf8.contains($0) } ?? end
        let header = bytes[start..<headerEnd]
        indicator = header.first { (0x31...0x39).contains($0) }.map { Int($0) - 0x30 }
        keepsBreaks = header.contains(UInt8(ascii: "+"))
        stripsBreaks = header.contains(UInt8(ascii: "-"))
        let lineEnd = bytes[headerEnd..<end].firstIndex(where: \.isBreak) ?? end
        comment = bytes[headerEnd..<lineEnd].firstIndex(of: UInt8(ascii: "#"))
        firstLine = Self.lineAfter(lineEnd, in: bytes, end)
    }

    /// Finds the text of the scalar.
    ///
    /// - Parameter blockColumn: The column of the block collection around the value, from which an indicator counts.
    mutating func findText(blockColumn: Int?) {
        // Without an indicator, the spaces before the first line that is not blank.
        indentation = indicator.map { (blockColumn ?? 0) + $0 } ?? Int.max
        var line = firstLine
        var last: Int?
        while line < end {
            let lineEnd = bytes[line..<end].firstIndex(where: \.isBreak) ?? end
            let spaces = bytes[line..<lineEnd].prefix { $0 == UInt8(ascii: " ") }.count
            if indentation == Int.max, line + spaces < lineEnd { indentation = spaces }
            if lineEnd - line > min(spaces, indentation) { last = lineEnd }
            line = Self.lineAfter(lineEnd, in: bytes, end)
        }
        text = last.map { firstLine..<$0 }
    }

    /// The offset of the next line.
    static func lineAfter(_ lineEnd: Int, in bytes: [UInt8], _ end: Int) -> Int {
        guard lineEnd < end else { return end }
        let isPair =
            bytes[lineEnd] == UInt8(ascii: "\r") && lineEnd + 1 < end && bytes[lineEnd + 1] == UInt8(ascii: "\n")
        return lineEnd + (isPair ? 2 : 1)
    }
}

/// One step of the walk through a file's text, with its byte range.
package struct SourceStep: Sendable {
    /// True for a collection in brackets.
    let isFlow: Bool
    /// True for a `|` or `>` scalar.
    let isBlockScalar: Bool
    /// Its bytes in the file, anchor and tag included; the end of a block collection stands at the start of what
    /// follows it.
    let range: Range<Int>
    /// Its meaning: the value of a scalar, and the anchor, alias and tag, resolved.
    package let content: Content

    /// The meaning of a step, independent of its layout.
    package struct Content: Hashable, Sendable {
        let kind: Event.Kind
        /// The scalar's text, quotes and escapes resolved.
        let text: [UInt8]
        /// True for a plain scalar, which may be something other than a string.
        let isPlain: Bool
        /// The name after `&` or `*`.
        let anchor: String?
        /// The tag, its handle resolved.
        let tag: String?
    }
}

extension DocumentParser {
    /// Walks through the text of a whole file, in which ``parse(_:file:)`` has found no errors; nil when it is not
    /// well-formed.
    package static func steps(through bytes: [UInt8]) -> [SourceStep]? {
        let source = SourceText(bytes, file: "")
        guard bytes.count > source.start else { return [] }
        var reader = EventReader(bytes[source.start...])
        let places = BytePlaces(bytes, from: source.start)
        var steps: [SourceStep] = []
        while true {
            var text: [UInt8] = []
            var names = EventNames()
            let event = reader.next(appendingTo: &text, naming: &names)
            switch event.kind {
            case .streamEnd: return steps
            case .failure: return nil
            case .streamStart: continue
            default: break
            }
            let isScalar = event.kind == .scalar
            steps.append(
                SourceStep(
                    isFlow: event.style == .flow, isBlockScalar: isScalar && event.style == .block,
                    range: places[event.start]..<max(places[event.start], places[event.end]),
                    content: SourceStep.Content(
                        kind: event.kind, text: text, isPlain: isScalar && event.style == .plain,
                        anchor: event.hasNames ? names.anchor : nil, tag: event.hasNames ? names.tag : nil)))
        }
    }
}

/// The byte offset of each character of a text.
private struct BytePlaces {
    private let starts: [UInt32]
    private let end: Int

    init(_ bytes: [UInt8], from start: Int) {
        // A file is at most 1 MiB, so every offset fits.
        starts = bytes.indices[start...].filter { bytes[$0] & 0xC0 != 0x80 }.map { UInt32(truncatingIfNeeded: $0) }
        end = bytes.count
    }

    /// The byte offset of a mark; the end for a mark past it.
    subscript(mark: Mark) -> Int {
        let index = Int(mark.index)
        return index < starts.count ? Int(starts[index]) : end
    }
}
