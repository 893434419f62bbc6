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

    /// Moves past a token.
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
