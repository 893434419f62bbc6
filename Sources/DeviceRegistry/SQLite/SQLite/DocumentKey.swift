internal import CLibrary
internal import Base

/// Finds a key's value in the text of an installation's document: ten times faster than parsing the whole document,
/// which would be most of the cost of counting an audience.
struct DocumentKey {
    /// The key as in the text, within its quotation marks.
    private let key: [UInt8]
    /// The index of the key's capital letter, its rarest byte.
    private let landmark: Int

    init(_ name: String) {
        key = Array("\"\(name)\"".utf8)
        landmark = key.firstIndex { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? 0
    }

    /// Finds the value of the document's top-level key.
    ///
    /// - Parameter document: an object's JSON, as the registry writes it: without spaces between its parts.
    /// - Returns: the offset of the value; nil when there is none.
    func value(in document: UnsafeBufferPointer<UInt8>) -> Int? {
        mayHaveKey(document) ? find(in: document) : nil
    }

    /// Returns the key's value if it is a string of at most `longest` bytes.
    func text(in document: UnsafeBufferPointer<UInt8>, longest: Int) -> Text {
        guard let start = value(in: document), start < document.count, document[start] == UInt8(ascii: "\"") else {
            return .none
        }
        let end = Self.end(ofStringAt: start, in: document)
        let isPlain = end < document.count && !document[(start + 1)..<end].contains(UInt8(ascii: "\\"))
        // An escape takes up to six bytes per byte of text.
        guard end < document.count, end - start - 1 <= (isPlain ? longest : 6 * longest) else { return .tooLong }
        if isPlain { return .plain((start + 1)..<end) }
        guard let text = try? JSONValue(parsing: Array(document[start...end])).string else { return .none }
        return text.utf8.count <= longest ? .escaped(text) : .tooLong
    }

    /// The value of a key.
    enum Text: Hashable {
        /// The value is missing, or not a string.
        case none
        /// The string is too long.
        case tooLong
        /// The string stands as it is within these bytes of the document.
        case plain(Range<Int>)
        /// The string, which is written with escapes.
        case escaped(String)
    }

    /// The offset of the quotation mark that ends a string, or at least that of the document's end.
    private static func end(ofStringAt start: Int, in document: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = document.baseAddress else { return document.count }
        var position = start + 1
        while position < document.count,
            let found = memchr(first + position, Int32(UInt8(ascii: "\"")), document.count - position)
        {
            let end = first.distance(to: found.assumingMemoryBound(to: UInt8.self))
            var escapes = 0
            while document[end - 1 - escapes] == UInt8(ascii: "\\") { escapes += 1 }
            if escapes % 2 == 0 { return end }
            position = end + 1
        }
        return document.count
    }

    /// True if the key's bytes occur anywhere: otherwise nothing has to be parsed.
    private func mayHaveKey(_ document: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = document.baseAddress else { return false }
        var position = landmark
        while position < document.count,
            let found = memchr(start + position, Int32(key[landmark]), document.count - position)
        {
            let place = start.distance(to: found.assumingMemoryBound(to: UInt8.self))
            if document[(place - landmark)...].starts(with: key) { return true }
            position = place + 1
        }
        return false
    }

    private func find(in document: UnsafeBufferPointer<UInt8>) -> Int? {
        var (depth, position) = (0, 0)
        while position < document.count {
            switch document[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = position
                position = Self.end(ofStringAt: start, in: document)
                let end = position + 1
                guard depth == 1, end < document.count, document[end] == UInt8(ascii: ":") else { break }
                if end - start == key.count, document[start..<end].elementsEqual(key) { return end + 1 }
            // Every other byte belongs to a number or a literal, or separates parts.
            default: break
            }
            position += 1
        }
        return nil
    }
}

/// Checks `apnsTopic` in the text of an installation's document.
enum DocumentTopic {
    private static let key = DocumentKey("apnsTopic")

    /// True if the document's top-level `apnsTopic` is missing, empty, or equal to `topic`.
    ///
    /// The document is an object's JSON, as the registry writes it: without spaces between its parts.
    static func isEmpty(in document: UnsafeBufferPointer<UInt8>, or topic: [UInt8]) -> Bool {
        guard let start = key.value(in: document) else { return true }
        guard start < document.count, document[start] == UInt8(ascii: "\"") else {
            // Not a string: `null` counts as missing.
            return start < document.count && document[start] == UInt8(ascii: "n")
        }
        let text = document[(start + 1)...]
        if text.first == UInt8(ascii: "\"") { return true }
        return text.starts(with: topic) && text.dropFirst(topic.count).first == UInt8(ascii: "\"")
    }
}
