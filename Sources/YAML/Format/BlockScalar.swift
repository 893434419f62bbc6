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

    /// Reads the header of the scalar in a range.
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
        if let indicator {
            indentation = (blockColumn ?? 0) + indicator
        } else {
            indentation = firstIndentation
        }
        var line = firstLine
        var last: Int?
        while line < end {
            let lineEnd = bytes[line..<end].firstIndex(where: \.isBreak) ?? end
            let spaces = bytes[line..<lineEnd].prefix { $0 == UInt8(ascii: " ") }.count
            if lineEnd - line > min(spaces, indentation) { last = lineEnd }
            line = Self.lineAfter(lineEnd, in: bytes, end)
        }
        text = last.map { firstLine..<$0 }
    }

    /// The spaces before the first line that is not blank.
    private var firstIndentation: Int {
        var line = firstLine
        while line < end {
            let lineEnd = bytes[line..<end].firstIndex(where: \.isBreak) ?? end
            let spaces = bytes[line..<lineEnd].prefix { $0 == UInt8(ascii: " ") }.count
            if line + spaces < lineEnd { return spaces }
            line = Self.lineAfter(lineEnd, in: bytes, end)
        }
        return Int.max
    }

    /// The offset of the next line.
    static func lineAfter(_ lineEnd: Int, in bytes: [UInt8], _ end: Int) -> Int {
        guard lineEnd < end else { return end }
        let isPair =
            bytes[lineEnd] == UInt8(ascii: "\r") && lineEnd + 1 < end && bytes[lineEnd + 1] == UInt8(ascii: "\n")
        return lineEnd + (isPair ? 2 : 1)
    }
}
