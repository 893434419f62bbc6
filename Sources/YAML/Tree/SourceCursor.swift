/// Finds places that libyaml's marks do not give: the start of a value after its anchor and tag, the end of a block's
/// text.
///
/// Marks are passed in the order of the text, so one pass over the bytes serves them all.
struct SourceCursor {
    private let bytes: [UInt8]
    private var offset: Int
    private var index: UInt32 = 0

    init(_ source: SourceText) {
        bytes = source.bytes
        offset = source.start
    }

    /// The parts of a node with an anchor or a tag.
    struct Properties {
        var tag: Mark?
        var tagEnd: Mark?
        /// From `&` to the first character that no anchor's name may contain.
        var anchor: Mark?
        var anchorEnd: Mark?
        /// The value itself; nil when there are only an anchor and a tag.
        var content: Mark?
    }

    /// Reads the anchor, tag, spaces and comments between the two marks of an event.
    mutating func properties(from start: Mark, to end: Mark) -> Properties {
        move(to: start)
        var mark = start
        var found = Properties()
        while mark.index < end.index, offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "!"):
                found.tag = mark
                advance(&mark, to: end) { $0 <= 0x20 }
                found.tagEnd = mark
            case UInt8(ascii: "&"):
                found.anchor = mark
                advance(&mark, to: end) { $0 <= 0x20 || ",[]{}".utf8.contains($0) }
                found.anchorEnd = mark
            case UInt8(ascii: "#"): advance(&mark, to: end) { $0 == 0x0A || $0 == 0x0D }
            case UInt8(ascii: " "), 0x09, 0x0A, 0x0D: step(&mark)
            default:
                found.content = mark
                return found
            }
        }
        return found
    }

    /// Returns the byte before a mark; marks must be passed in ascending order.
    mutating func byte(before mark: Mark) -> UInt8? {
        move(to: mark)
        return offset > 0 && offset <= bytes.count ? bytes[offset - 1] : nil
    }

    /// Returns the mark after the last character of a block scalar that is neither space nor line break.
    mutating func endOfText(from start: Mark, to end: Mark) -> Mark {
        move(to: start)
        var mark = start
        var last = mark
        while mark.index < end.index, offset < bytes.count {
            let isBlank = bytes[offset] <= 0x20
            step(&mark)
            if !isBlank { last = mark }
        }
        return last
    }

    private mutating func move(to mark: Mark) {
        while index < mark.index, offset < bytes.count { stepOver() }
    }

    private mutating func advance(_ mark: inout Mark, to end: Mark, until stops: (UInt8) -> Bool) {
        while mark.index < end.index, offset < bytes.count, !stops(bytes[offset]) { step(&mark) }
    }

    /// Advances by one character, as libyaml counts lines and columns.
    private mutating func step(_ mark: inout Mark) {
        let byte = bytes[offset]
        stepOver()
        mark.index += 1
        let isBeforeLF = byte == 0x0D && offset < bytes.count && bytes[offset] == 0x0A
        if byte == 0x0A || byte == 0x0D && !isBeforeLF {
            mark.line += 1
            mark.column = 0
        } else {
            mark.column += 1
        }
    }

    private mutating func stepOver() {
        index += 1
        offset += 1
        while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    }
}
