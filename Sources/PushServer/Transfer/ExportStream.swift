internal import Base

/// One file of an export: its head and its content.
struct ExportStream {
    /// The layout, and the class named by a heading.
    let head: ExportHead
    /// The first bytes of the elements.
    let first: [UInt8]
    /// True if the file is empty, without even a heading or an empty list.
    let isBlank: Bool
    /// Returns the next bytes; empty at the end.
    let next: () throws(TransferError) -> [UInt8]

    init(reading next: @escaping () throws(TransferError) -> [UInt8]) throws(TransferError) {
        var bytes: [UInt8] = []
        while bytes.count < ExportHead.size {
            let more = try next()
            if more.isEmpty { break }
            bytes += more
        }
        head = ExportHead(Array(bytes.prefix(ExportHead.size)))
        first = Array(bytes.dropFirst(head.count))
        isBlank = bytes.count < ExportHead.size && bytes.allSatisfy { $0 <= UInt8(ascii: " ") }
        self.next = next
    }

    /// The line of the names of a table (CSV), which the console offers beside JSON; nil for anything else.
    ///
    /// A table does not say what is a number and what a text, so it cannot be read without guessing.
    var tableLine: Int? {
        let line = first.prefix { $0 != UInt8(ascii: "\n") }
        let isObject = head.form == .list || line.first == UInt8(ascii: "{")
        guard !isObject, line.contains(where: { ",;\t".utf8.contains($0) }),
            String(decoding: line, as: UTF8.self).contains("objectId")
        else { return nil }
        return head.line
    }
}

/// The information in a file's name.
struct ExportFileName {
    /// The name without its folders, such as `_Installation.0.jsonl`.
    let name: String
    /// The part before the number and the extension, such as `_Installation`.
    let className: String
    /// True if the name has a number, as in LeanCloud's exports.
    let isNumbered: Bool

    /// Parses a path with slashes or backslashes.
    init(path: String) {
        name = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1,
            ["json", "jsonl", "ndjson", "txt", "bson", "csv", "tsv"].contains(parts[parts.count - 1].lowercased())
        {
            parts.removeLast()
        }
        isNumbered = parts.count > 1 && Int(parts[parts.count - 1]) != nil
        if isNumbered { parts.removeLast() }
        className = parts.joined(separator: ".")
    }

    /// True for a file of LeanCloud's backup, which the console offers beside the export.
    var isBackup: Bool { name.lowercased().hasSuffix(".bson") }
}

/// The beginning of an export, which tells its layout, its class, and where its elements begin.
///
/// Three layouts are supported: one object per line, a JSON list, and a mapping whose `results` is such a list. Lines
/// that begin with `#` may come first, such as `#filetype:JSON-streaming {"type":"Class","class":"_Installation"}`.
struct ExportHead {
    /// The number of bytes examined.
    static let size = 64 << 10

    let form: ElementSplitter.Form
    /// The number of bytes before the elements.
    let count: Int
    /// The line of the first element, from 1.
    let line: Int
    /// The class named by a heading; nil when there is none.
    let className: String?

    /// Parses the first bytes of a file.
    init(_ bytes: [UInt8]) {
        var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var line = 1
        var className: String?
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "#") {
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
                className = Self.className(bytes[index..<end]) ?? className
                index = end
            } else if ElementSplitter.isSpace(bytes[index]) {
                if bytes[index] == UInt8(ascii: "\n") { line += 1 }
                index += 1
            } else {
                break
            }
        }
        self.className = className
        if let start = Self.startOfList(bytes[index...]) {
            form = .list
            count = start
            self.line = line + bytes[index..<start].count { $0 == UInt8(ascii: "\n") }
        } else {
            form = .lines
            count = index
            self.line = line
        }
    }

    private static func className(_ heading: ArraySlice<UInt8>) -> String? {
        guard let start = heading.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        return (try? JSONValue(parsing: heading[start...]))?["class"]?.string
    }

    /// The index after the `[` of a list or of a mapping's `results`; nil when the bytes begin with neither.
    private static func startOfList(_ bytes: ArraySlice<UInt8>) -> Int? {
        if bytes.first == UInt8(ascii: "[") { return bytes.startIndex + 1 }
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        var depth = 0
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return nil }
            case UInt8(ascii: "\""):
                let text = text(in: bytes, from: index)
                // A row may have a field of this name.
                if depth == 1, text.elementsEqual("objectId".utf8) || text.elementsEqual("createdAt".utf8) {
                    return nil
                }
                if depth == 1, text.elementsEqual("results".utf8),
                    let start = list(in: bytes, from: text.endIndex + 1)
                {
                    return start
                }
                index = text.endIndex
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The text between the quote at `start` and the next unescaped one.
    private static func text(in bytes: ArraySlice<UInt8>, from start: Int) -> ArraySlice<UInt8> {
        var index = start + 1
        while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return bytes[(start + 1)..<max(start + 1, min(index, bytes.endIndex))]
    }

    /// The index after `: [`; nil when something else follows.
    private static func list(in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        var rest = bytes[min(start, bytes.endIndex)...].drop(while: ElementSplitter.isSpace)
        guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
        rest = rest.drop(while: ElementSplitter.isSpace)
        guard rest.popFirst() == UInt8(ascii: "[") else { return nil }
        return rest.startIndex
    }
}

/// Splits an export into its elements, however the bytes arrive and however large the whole is.
///
/// Damage costs only its own line or, in a list, the element it is in: the splitter finds the next element again.
struct ElementSplitter {
    enum Form: Hashable {
        /// One element per line.
        case lines
        /// The elements of a JSON list.
        case list
    }

    struct Element {
        /// The text; cut off when it is too large.
        var bytes: [UInt8] = []
        /// The line on which the element begins, from 1.
        var line: Int
        /// The problem that makes it unreadable; nil when there is none so far.
        var fault: String?
    }

    /// The largest object in bytes; more is not kept. Source: docs/background/leancloud/errors.md#codes.
    static let mostBytes = 16 << 20
    static let tooLarge = "it is larger than 16 MiB"
    static let cutOff = "the file ends inside it: nothing after this point was read"
    static let brokenText = "a string in it does not end on its line" + lost
    static let broken = "its brackets do not match" + lost
    static let more = "the data after the end of the list was not read"
    private static let lost = "; the file is damaged here, and objects up to the next that could be read are lost"

    private let form: Form
    private var line: Int
    private var current: Element?
    /// The open brackets within the element, or after the list.
    private var open: [UInt8] = []
    /// The last byte that was not a space: a bracket, `,`, `:`, or `"` for the end of any value.
    private var previous: UInt8 = 0
    private var isInText = false
    private var isEscaped = false
    /// True after damage: bytes are skipped until an object begins a line or follows `},`.
    private var isLost = false
    private var isAtLineStart = false
    /// True directly after `},`.
    private var isBehindObject = false
    private var isOver = false
    /// True once the data after the list has been reported.
    private var hasMore = false

    /// Starts where the first element may begin, on the given line.
    init(_ form: Form, line: Int) {
        self.form = form
        self.line = line
    }

    /// Consumes more bytes and returns the elements that end in them.
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

    /// The unfinished element at the end of the file, if any.
    mutating func last() -> Element? {
        defer { current = nil }
        // A list without an end was cut off, even between two elements.
        if form == .list, current == nil, !isOver, !isLost { return Element(line: line, fault: Self.cutOff) }
        guard var element = current, !isOver, !isLost else { return nil }
        if form == .list { element.fault = Self.cutOff }
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
    /// Consumes a byte after the list: the rest of a mapping may follow, but nothing that could be elements.
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
            if !open.isEmpty || previous == UInt8(ascii: ":") {
                push(byte)
            } else if !hasMore {
                hasMore = true
                found.append(Element(line: line, fault: Self.more))
            }
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        default: break
        }
        if !Self.isSpace(byte) { previous = byte }
    }

    private mutating func take(_ byte: UInt8, _ found: inout [Element]) {
        let isNewLine = byte == UInt8(ascii: "\n")
        defer {
            if isNewLine { line += 1 }
            isAtLineStart = isNewLine || isAtLineStart && Self.isBetween(byte)
        }
        if isLost, !isFound(byte) { return }
        guard current != nil else {
            begin(byte)
            return
        }
        if isInText {
            if isNewLine {
                end(&found, fault: Self.brokenText)
                lose(byte)
                return
            }
            keep(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
                previous = byte
            }
            return
        }
        structure(byte, &found)
    }

    /// True if an object begins again after damage.
    private mutating func isFound(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "{"), isAtLineStart || isBehindObject {
            isLost = false
            return true
        }
        if byte == UInt8(ascii: ",") {
            isBehindObject = previous == UInt8(ascii: "}")
        } else if !Self.isSpace(byte) {
            isBehindObject = false
        }
        if !Self.isSpace(byte) { previous = byte }
        return false
    }

    private mutating func begin(_ byte: UInt8) {
        if byte == UInt8(ascii: "]") { isOver = true }
        guard !isOver, !Self.isBetween(byte) else { return }
        current = Element(line: line)
        open = []
        previous = 0
        isEscaped = false
        isInText = byte == UInt8(ascii: "\"")
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { push(byte) }
        keep(byte)
    }

    private mutating func structure(_ byte: UInt8, _ found: inout [Element]) {
        if let top = open.last, !Self.fits(byte, behind: previous, in: top) {
            end(&found, fault: Self.broken)
            // An object where a name is due is the next element; the current one has no end.
            if byte == UInt8(ascii: "{"), previous == UInt8(ascii: ",") { return begin(byte) }
            lose(byte)
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): push(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if open.isEmpty {
                // The list ends after something that is not an object.
                end(&found)
                isOver = byte == UInt8(ascii: "]")
                previous = byte
                return
            }
            open.removeLast()
            previous = UInt8(ascii: "\"")
            if open.isEmpty {
                keep(byte)
                end(&found)
                return
            }
        case UInt8(ascii: ",") where open.isEmpty:
            end(&found)
            return
        default:
            if !Self.isSpace(byte) { previous = Self.isMark(byte) ? byte : UInt8(ascii: "\"") }
        }
        keep(byte)
    }

    /// True if a byte may follow another within an object or a list, `top`.
    private static func fits(_ byte: UInt8, behind previous: UInt8, in top: UInt8) -> Bool {
        let isObject = top == UInt8(ascii: "{")
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return previous == UInt8(ascii: ":") || !isObject && previous != UInt8(ascii: "\"")
        case UInt8(ascii: "\""): return previous != UInt8(ascii: "\"")
        case UInt8(ascii: "}"): return isObject
        case UInt8(ascii: "]"): return !isObject
        case UInt8(ascii: ":"): return isObject && previous == UInt8(ascii: "\"")
        default: return true
        }
    }

    /// Skips bytes from here until an object begins again.
    private mutating func lose(_ byte: UInt8) {
        isLost = true
        isBehindObject = false
        previous = byte
    }

    private mutating func push(_ byte: UInt8) {
        // Endless brackets count as too large before they fill the memory.
        if open.count < Self.mostBytes { open.append(byte) }
        previous = byte
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

    /// True for a byte between two elements.
    private static func isBetween(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") }
}

extension ElementSplitter.Element {
    fileprivate var isBlank: Bool {
        fault == nil && bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == 0x0D }
    }
}
