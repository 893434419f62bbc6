internal import Base

/// The bytes of a file, checked before libyaml sees them.
struct SourceText {
    let bytes: [UInt8]
    let file: String
    /// The offset of the text: after the byte-order mark, if there is one.
    let start: Int

    init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
        start = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// The errors that make the bytes unreadable; empty for a readable file.
    ///
    /// libyaml ends lines at U+0085, U+2028 and U+2029 as YAML 1.1 did, and editors do not: after one of these its
    /// lines and columns would be wrong, so nothing more is read.
    func faults() -> [Diagnostic] {
        if bytes.count > Limits.bytes {
            return [Diagnostic(.error, .limitExceeded, "the file is larger than 1 MiB", at: firstCharacter)]
        }
        if let name = otherEncoding {
            let message = "the file is encoded in \(name), but only UTF-8 is read"
            return [Diagnostic(.error, .encoding, message, at: firstCharacter, help: Self.saving)]
        }
        return isClean ? [] : characterFaults()
    }

    private var firstCharacter: SourceRange {
        SourceRange(file: file, start: SourcePosition(line: 1, column: 1))
    }

    private var otherEncoding: String? {
        // No UTF-8 text begins with one of these bytes.
        guard bytes.count >= 2, bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0xFE else { return nil }
        let head = Array(bytes.prefix(4))
        if head == [0xFF, 0xFE, 0, 0] || head == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        // ASCII text without a byte-order mark: zeros where the high bytes are.
        if head.count == 4, head[0] == 0 && head[1] == 0 || head[2] == 0 && head[3] == 0 { return "UTF-32" }
        if (head[0] == 0) != (head[1] == 0) { return "UTF-16" }
        return nil
    }
}

extension SourceText {
    /// True if nothing needs a closer look: the fast path for nearly every file.
    private var isClean: Bool {
        // The pointer stays inside the closure, and every index below the count.
        unsafe bytes.withUnsafeBytes { raw in
            var index = start
            var atLineStart = true
            while index < raw.count {
                while index + 8 <= raw.count,
                    unsafe Self.isPrintableASCII(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                {
                    if atLineStart, unsafe raw[index] == UInt8(ascii: "%") { return false }
                    atLineStart = false
                    index += 8
                }
                guard index < raw.count else { break }
                let byte = unsafe raw[index]
                if atLineStart, byte == UInt8(ascii: "%") { return false }
                atLineStart = byte == 0x0A || byte == 0x0D
                if byte < 0x80 {
                    guard byte >= 0x20 && byte != 0x7F || byte == 0x09 || atLineStart else { return false }
                    index += 1
                } else {
                    repeat {
                        guard let length = unsafe Self.allowedLength(raw, at: index) else { return false }
                        index += length
                    } while unsafe index < raw.count && raw[index] >= 0x80
                }
            }
            return true
        }
    }

    /// The length in bytes of the character at `index`; nil when it needs a closer look.
    @inline(__always)
    private static func allowedLength(_ raw: UnsafeRawBufferPointer, at index: Int) -> Int? {
        // Lead bytes of three-byte characters without overlong forms, surrogates, line breaks or U+FFFE: nearly all of
        // CJK.
        if index + 2 < raw.count, unsafe 0xE3...0xEC ~= raw[index] {
            let areTrailing = unsafe raw[index + 1] & 0xC0 == 0x80 && raw[index + 2] & 0xC0 == 0x80
            return areTrailing ? 3 : nil
        }
        guard let scalar = unsafe UTF8Scalar(raw, at: index), scalar.isAllowed else { return nil }
        return scalar.length
    }

    /// True if all eight bytes are from 0x20 to 0x7E.
    private static func isPrintableASCII(_ word: UInt64) -> Bool {
        let high: UInt64 = 0x8080_8080_8080_8080
        // A borrow or carry out of a byte only happens for a byte that fails anyway.
        let low = word &- 0x2020_2020_2020_2020
        let above = word &+ 0x0101_0101_0101_0101
        return (word | low | above) & high == 0
    }
}

extension SourceText {
    /// Checks the characters, counting lines and columns; only LF, CR LF and CR end a line.
    private func characterFaults() -> [Diagnostic] {
        // The pointer stays inside the closure, and every index below the count.
        unsafe bytes.withUnsafeBytes { raw in
            var faults: [Diagnostic] = []
            var position = SourcePosition(line: 1, column: 1)
            var index = start
            var tagDirectives = 0
            while index < raw.count, faults.count < Limits.characterReports {
                guard let scalar = unsafe UTF8Scalar(raw, at: index) else {
                    faults.append(unsafe invalidUTF8(raw[index], at: position))
                    return faults
                }
                if position.column == 1, bytes[index...].starts(with: "%TAG".utf8) {
                    tagDirectives += 1
                    if tagDirectives > Limits.tagDirectives {
                        faults.append(tooManyTagDirectives(at: position))
                        return faults
                    }
                }
                if !scalar.isAllowed { faults.append(notAllowed(scalar.value, at: position)) }
                index += scalar.length
                let isBeforeLF = unsafe index < raw.count && raw[index] == 0x0A
                if scalar.value == 0x0A || scalar.value == 0x0D && !isBeforeLF {
                    position = SourcePosition(line: position.line + 1, column: 1)
                } else {
                    position.column += 1
                }
            }
            return faults
        }
    }

    private static let saving = "save the file as UTF-8"

    private func invalidUTF8(_ byte: UInt8, at position: SourcePosition) -> Diagnostic {
        let hex = "0x" + byte.hexadecimal(digits: 2, uppercase: true)
        return Diagnostic(
            .error, .encoding, "byte \(hex) does not begin a valid UTF-8 character",
            at: SourceRange(file: file, start: position), help: Self.saving)
    }

    private func tooManyTagDirectives(at position: SourcePosition) -> Diagnostic {
        Diagnostic(
            .error, .limitExceeded, "more than \(Limits.tagDirectives) %TAG directives",
            at: SourceRange(file: file, start: position))
    }

    private func notAllowed(_ value: UInt32, at position: SourcePosition) -> Diagnostic {
        let range = SourceRange(file: file, start: position)
        let name = "U+" + value.hexadecimal(digits: 4, uppercase: true)
        let escape: String
        switch value {
        case 0x85: escape = "\\N"
        case 0x2028: escape = "\\L"
        case 0x2029: escape = "\\P"
        default: return Diagnostic(.error, .encoding, "character \(name) is not allowed", at: range)
        }
        return Diagnostic(
            .error, .lineBreak, "line break \(name) is not allowed outside escapes", at: range,
            help: "write \(escape) in a double-quoted string, or an ordinary line break")
    }
}

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

/// One character decoded from UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates.
struct UTF8Scalar {
    var value: UInt32
    var length: Int

    /// Decodes the character at `index`; nil when the bytes there are not one.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        // Every read is checked against the count first.
        let lead = unsafe bytes[index]
        let least: UInt32
        switch lead {
        case 0..<0x80: (value, length, least) = (UInt32(lead), 1, 0)
        case 0xC2...0xDF: (value, length, least) = (UInt32(lead & 0x1F), 2, 0x80)
        case 0xE0...0xEF: (value, length, least) = (UInt32(lead & 0x0F), 3, 0x800)
        case 0xF0...0xF4: (value, length, least) = (UInt32(lead & 0x07), 4, 0x1_0000)
        default: return nil
        }
        guard index + length <= bytes.count else { return nil }
        for offset in 1..<max(1, length) {
            let byte = unsafe bytes[index + offset]
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        guard value >= least, value <= 0x10_FFFF, !(0xD800...0xDFFF).contains(value) else { return nil }
    }

    /// True if YAML allows the character unescaped, and all versions of YAML treat it alike.
    ///
    /// Source: YAML 1.2, production c-printable, without its U+0085 and without U+2028 and U+2029.
    var isAllowed: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFFFD: true
        default: value >= 0x1_0000
        }
    }
}
