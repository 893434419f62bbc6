/// Cuts an export into its elements, however the bytes arrive and however large the whole is.
///
/// What is broken costs its own line, or in a list the element it stands in: the next one is found again.
struct ElementSplitter {
    /// How an export is laid out.
    enum Form: Hashable {
        /// One element a line.
        case lines
        /// Elements of a JSON list.
        case list
    }

    /// One element, as its bytes.
    struct Element {
        /// Its text; cut off when it is too large.
        var bytes: [UInt8] = []
        /// The line that it begins on, from 1.
        var line: Int
        /// What keeps it from being read; nil: nothing so far.
        var fault: String?
    }

    /// An object may have this many bytes; more are not kept. Source: leancloud.md section 6, code 116.
    static let mostBytes = 16 << 20
    static let tooLarge = "it is larger than 16 MiB"
    static let cutOff = "the file ends within it"
    static let brokenText = "a text in it has no end on its line"
    static let more = "more stands behind the end of the list"

    private let form: Form
    private var line: Int
    private var current: Element?
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    /// After something broken: nothing counts until a line begins an object.
    private var isLost = false
    private var isAtLineStart = false
    private var isOver = false
    /// Behind the list: whether a member's value is next.
    private var isValue = false
    /// Whether it was said that more stands behind the list.
    private var hasMore = false

    /// Begins where the first element may stand, on this line.
    init(_ form: Form, line: Int) {
        self.form = form
        self.line = line
    }

    /// Takes more bytes, and gives the elements that end in them.
    mutating func elements(in bytes: ArraySlice<UInt8>) -> [Element] {
        var found: [Element] = []
        switch form {
        case .lines: splitLines(bytes, &found)
        case .list:
            for byte in bytes {
                if isOver { passEnd(byte, &found) } else { take(byte, &found) }
            }
        }
        return found
    }

    /// The element that the end of the file leaves, if any.
    mutating func last() -> Element? {
        defer { current = nil }
        // A list that has no end was cut off, if between two elements.
        if form == .list, current == nil, !isOver, !isLost { return Element(line: line, fault: Self.cutOff) }
        guard var element = current, !isOver, !isLost else { return nil }
        if form == .list, element.fault == nil { element.fault = Self.cutOff }
        return element.isBlank ? nil : element
    }

    private mutating func splitLines(_ bytes: ArraySlice<UInt8>, _ found: inout [Element]) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            if let element = current, !element.isBlank { found.append(element) }
            current = nil
            line += 1
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { append(rest) }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        var element = current ?? Element(line: line)
        current = nil
        if element.bytes.count + bytes.count > Self.mostBytes {
            element.fault = Self.tooLarge
        } else if element.fault == nil {
            element.bytes += bytes
        }
        current = element
    }
}

extension ElementSplitter {
    /// One byte behind the list: the rest of a mapping may follow, and nothing that could be elements.
    private mutating func passEnd(_ byte: UInt8, _ found: inout [Element]) {
        if byte == UInt8(ascii: "\n") { line += 1 }
        if isInText {
            isInText = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if depth > 0 || isValue {
                depth += 1
            } else if !hasMore {
                hasMore = true
                found.append(Element(line: line, fault: Self.more))
            }
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
        default: break
        }
        if !Self.isBetween(byte) { isValue = byte == UInt8(ascii: ":") }
    }

    /// One byte of a list.
    private mutating func take(_ byte: UInt8, _ found: inout [Element]) {
        let isNewLine = byte == UInt8(ascii: "\n")
        defer {
            if isNewLine { line += 1 }
            isAtLineStart = isNewLine || isAtLineStart && Self.isBetween(byte)
        }
        if isLost {
            guard isAtLineStart, byte == UInt8(ascii: "{") else { return }
            isLost = false
        }
        guard current != nil else {
            begin(byte)
            return
        }
        if isInText {
            if isNewLine {
                end(&found, fault: Self.brokenText)
                isLost = true
                return
            }
            keep(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            return
        }
        structure(byte, &found)
    }

    private mutating func begin(_ byte: UInt8) {
        if byte == UInt8(ascii: "]") { isOver = true }
        guard !isOver, !Self.isBetween(byte) else { return }
        current = Element(line: line)
        depth = 0
        isInText = byte == UInt8(ascii: "\"")
        isEscaped = false
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth = 1 }
        keep(byte)
    }

    private mutating func structure(_ byte: UInt8, _ found: inout [Element]) {
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 0 {
                // The list ends behind something that is no object.
                end(&found)
                isOver = byte == UInt8(ascii: "]")
                return
            }
            depth -= 1
            if depth == 0 {
                keep(byte)
                end(&found)
                return
            }
        case UInt8(ascii: ",") where depth == 0:
            end(&found)
            return
        default: break
        }
        keep(byte)
    }

    private mutating func keep(_ byte: UInt8) {
        guard let count = current?.bytes.count, count < Self.mostBytes else {
            current?.fault = Self.tooLarge
            return
        }
        current?.bytes.append(byte)
    }

    private mutating func end(_ found: inout [Element], fault: String? = nil) {
        guard var element = current else { return }
        element.fault = fault ?? element.fault
        found.append(element)
        current = nil
        isInText = false
    }

    /// What stands between two elements.
    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == UInt8(ascii: ",")
    }
}

extension ElementSplitter.Element {
    /// Whether there is nothing in it.
    fileprivate var isBlank: Bool {
        fault == nil && bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == 0x0D }
    }
}
