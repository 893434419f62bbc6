internal import Base

/// The beginning of an export, which tells its layout, its class, and where its elements begin.
///
/// Three layouts are supported: one object per line, a JSON list, and a mapping whose `results` is such a list. Lines
/// that begin with `#` may come first, such as `#filetype:JSON-streaming {"type":"Class","class":"_Installation"}`.
struct ExportHead {
    /// The number of bytes examined.
    static let size = 64 << 10

    /// The layout.
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
            } else if Self.isSpace(bytes[index]) {
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
        var rest = bytes[min(start, bytes.endIndex)...].drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
        rest = rest.drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: "[") else { return nil }
        return rest.startIndex
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
