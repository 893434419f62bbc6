/// The parts of a value in `|` or `>`.
struct BlockScalar {
    private let bytes: [UInt8]
    private let end: Int
    private let firstLine: Int
    /// The spaces that the header asks for; nil when the first line tells.
    let indicator: Int?
    /// The end of `|` or `>` and its indicators.
    let headerEnd: Int
    /// Where the header's comment begins.
    let comment: Int?
    /// `+`: the line breaks at the end belong to the value.
    let keepsBreaks: Bool
    /// `-`: no line break at the end belongs to the value.
    let stripsBreaks: Bool
    /// The lines from the first to the end of the last that says something; nil when none does.
    private(set) var text: Range<Int>?
    /// Spaces before what the lines say.
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

    /// Finds the lines that say something.
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

    /// The spaces before the first line that says something; without one, all lines are empty.
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

    /// Where the line after a line's end begins.
    static func lineAfter(_ lineEnd: Int, in bytes: [UInt8], _ end: Int) -> Int {
        guard lineEnd < end else { return end }
        let isPair =
            bytes[lineEnd] == UInt8(ascii: "\r") && lineEnd + 1 < end && bytes[lineEnd + 1] == UInt8(ascii: "\n")
        return lineEnd + (isPair ? 2 : 1)
    }
}
