/// Where the members of a JSON object, and the elements of its lists, stand in its text.
///
/// A reader of JSON needs memory for all that it reads at once. With this one a large text is read piece by piece, on
/// all cores; the pieces themselves are left to that reader, which finds what is wrong with them.
package struct JSONOutline: Sendable {
    /// The text.
    package let bytes: [UInt8]
    /// The members in the order of the text: the name as it is written, without quotation marks, and the value's place.
    private let members: [(name: ArraySlice<UInt8>, value: Range<Int>)]

    /// Outlines a text; nil when it is no object, not even roughly JSON, nested deeper than any file of bugle's, or has a
    /// member whose name is written with an escape.
    package init?(of bytes: [UInt8]) {
        var scanner = Scanner(bytes: bytes[...])
        var members: [(name: ArraySlice<UInt8>, value: Range<Int>)] = []
        let isList = scanner.list(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { scanner in
            guard let name = scanner.value(), bytes[name.lowerBound] == UInt8(ascii: "\""),
                scanner.take(UInt8(ascii: ":")), let value = scanner.value(),
                // Two spellings of one name would be two members here and one to the reader.
                !bytes[name].contains(UInt8(ascii: "\\"))
            else { return false }
            members.append((bytes[name].dropFirst().dropLast(), value))
            return true
        }
        guard isList, scanner.isAtEnd else { return nil }
        self.bytes = bytes
        self.members = members
    }

    /// What stands under a name.
    package enum Member: Hashable, Sendable {
        case missing
        /// A list, with the places of its elements.
        case list([Range<Int>])
        /// Anything else, or several members of that name.
        case other
    }

    /// Looks for a member by its name as it is written.
    package func member(_ name: String) -> Member {
        let found = places(of: name)
        guard let place = found.first else { return .missing }
        var scanner = Scanner(bytes: bytes[place])
        var elements: [Range<Int>] = []
        let isList = scanner.list(from: UInt8(ascii: "["), to: UInt8(ascii: "]")) { scanner in
            guard let element = scanner.value() else { return false }
            elements.append(element)
            return true
        }
        return found.count == 1 && isList && scanner.isAtEnd ? .list(elements) : .other
    }

    /// The text with an empty list in the place of some members.
    package func emptying(_ names: [String]) -> [UInt8] {
        var rest: [UInt8] = []
        var start = 0
        for place in names.flatMap(places).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            rest += bytes[start..<place.lowerBound]
            rest += "[]".utf8
            start = place.upperBound
        }
        return rest + bytes[start...]
    }

    private func places(of member: String) -> [Range<Int>] {
        members.filter { $0.name.elementsEqual(member.utf8) }.map(\.value)
    }
}

/// Steps from value to value.
private struct Scanner {
    /// What is left of the text.
    var bytes: ArraySlice<UInt8>

    /// Whether only white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return bytes.isEmpty
        }
    }

    /// Steps over one byte, when it is the next that is no white space.
    mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard bytes.first == byte else { return false }
        bytes.removeFirst()
        return true
    }

    /// Steps over a list with commas; false when it is none, or `element` says so.
    mutating func list(from open: UInt8, to close: UInt8, _ element: (inout Scanner) -> Bool) -> Bool {
        guard take(open) else { return false }
        if take(close) { return true }
        repeat {
            guard element(&self) else { return false }
        } while take(UInt8(ascii: ","))
        return take(close)
    }

    /// Steps over the next value, whatever is in it; nil when there is none, or it does not end.
    mutating func value() -> Range<Int>? {
        skipSpace()
        let length = bytes.withUnsafeBufferPointer { Self.length($0) }
        guard length > 0 else { return nil }
        let start = bytes.startIndex
        bytes = bytes.dropFirst(length)
        return start..<start + length
    }

    private mutating func skipSpace() {
        bytes = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    /// The length of the value at the beginning; 0 when there is none.
    private static func length(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var depth = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(bytes, index) else { return 0 }
                index = end
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                // What a configuration may nest, and what stands around it. Foundation takes cubic time for depth.
                if depth > 128 { return 0 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return depth == 0 ? index : 0
    }

    /// What stands behind a string that begins at `start`.
    private static func endOfString(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }
}
