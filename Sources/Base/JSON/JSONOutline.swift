/// The positions of the members of a JSON object, and of the elements of its arrays, in its text.
///
/// A value needs several times the memory of its text. With an outline a large text is read piece by piece, on all
/// cores; errors within a piece are found when it is read.
public struct JSONOutline: Sendable {
    /// The text.
    public let bytes: [UInt8]
    /// The members in the order of the text: the name as written, without quotation marks, and the value's place.
    private let members: [Place]
    private typealias Place = (name: Range<Int>, value: Range<Int>)

    /// Outlines a text; nil when it is not an object, not even roughly JSON, nested deeper than `depth`, or has a
    /// member whose name is written with an escape.
    public init?(of bytes: [UInt8], depth: Int = 128) {
        let members = unsafe bytes.withUnsafeBufferPointer { bytes -> [Place]? in
            var scanner = unsafe JSONScanner(bytes)
            var members: [Place] = []
            guard
                scanner.collection(
                    UInt8(ascii: "{"), UInt8(ascii: "}"),
                    { scanner in
                        // Two spellings of a name would be two members here but one for the reader.
                        guard let member = scanner.member(depth: depth), !member.name.isEscaped else { return false }
                        members.append((member.name.place, member.value))
                        return true
                    }), scanner.isAtEnd
            else { return nil }
            return members
        }
        guard let members else { return nil }
        self.bytes = bytes
        self.members = members
    }

    /// The kind of value under a name.
    public enum Member: Hashable, Sendable {
        case missing
        /// An array, with the places of its elements.
        case list([Range<Int>])
        /// Anything else, or several members of that name.
        case other
    }

    /// Looks up a member by its name as written.
    public func member(_ name: String) -> Member {
        let found = places(of: name)
        guard let place = found.first else { return .missing }
        guard found.count == 1, let elements = elements(of: place) else { return .other }
        return .list(elements)
    }

    /// The places of the elements of a text that is an array; nil when it is none.
    public static func elements(of bytes: [UInt8]) -> [Range<Int>]? { elements(in: bytes[...]) }

    /// The text with some members replaced by empty arrays.
    public func emptying(_ names: [String]) -> [UInt8] {
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
        members.filter { bytes[$0.name].elementsEqual(member.utf8) }.map(\.value)
    }

    private func elements(of place: Range<Int>) -> [Range<Int>]? {
        Self.elements(in: bytes[..<place.upperBound], from: place.lowerBound)
    }

    private static func elements(in bytes: ArraySlice<UInt8>, from start: Int = 0) -> [Range<Int>]? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var scanner = unsafe JSONScanner(bytes)
            scanner.index = max(scanner.index, start)
            var elements: [Range<Int>] = []
            let isList = scanner.collection(UInt8(ascii: "["), UInt8(ascii: "]")) { scanner in
                guard let element = scanner.skip(depth: .max) else { return false }
                elements.append(element)
                return true
            }
            return isList && scanner.isAtEnd ? elements : nil
        }
    }
}

// MARK: - Texts

extension JSONOutline {
    /// The strings under some names of a JSON object, searched for in the first bytes of its text only: the rest costs
    /// nothing, and the values in between are not built.
    ///
    /// The first member of a name wins, as it does for a reader; values that are not strings are left out.
    public static func texts(
        under names: Set<String>, inFirst count: Int, of bytes: some Collection<UInt8>
    ) -> [String: String] {
        var texts: [String: String] = [:]
        var sought = names
        unsafe Array(bytes.prefix(count)).withUnsafeBufferPointer { bytes in
            var scanner = unsafe JSONScanner(bytes)
            _ = scanner.collection(UInt8(ascii: "{"), UInt8(ascii: "}")) { scanner in
                guard let member = scanner.member(depth: .max), let name = try? scanner.text(member.name) else {
                    return false
                }
                if sought.remove(name) != nil { texts[name] = scanner.text(at: member.value) }
                return !sought.isEmpty
            }
        }
        return texts
    }

    /// The string members of an object under some names, as far as they stand in the last `count` bytes of its text,
    /// which is read backwards from its end; the last of equal names counts.
    public static func texts(
        under names: Set<String>, inLast count: Int, of bytes: some BidirectionalCollection<UInt8>
    ) -> [String: String] {
        var texts: [String: String] = [:]
        var sought = names
        unsafe Array(bytes.suffix(count)).withUnsafeBufferPointer { bytes in
            var depth = 0
            // The place of the text that is the value of the member being read; whether its name comes next.
            var (value, isName) = (Range<Int>?.none, false)
            var index = bytes.count
            while index > 0, !sought.isEmpty {
                index -= 1
                switch unsafe bytes[index] {
                case UInt8(ascii: "\""):
                    guard let start = unsafe start(ofStringEndingAt: index, in: bytes) else { return }
                    let place = start..<index + 1
                    index = start
                    guard depth == 1 else { continue }
                    guard isName else {
                        value = place
                        continue
                    }
                    let scanner = unsafe JSONScanner(bytes)
                    if let name = scanner.text(at: place), sought.remove(name) != nil {
                        texts[name] = value.flatMap(scanner.text)
                    }
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth += 1
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth -= 1
                    if depth <= 0 { return }
                case UInt8(ascii: ":") where depth == 1: isName = true
                case UInt8(ascii: ",") where depth == 1: (value, isName) = (nil, false)
                default: if depth == 0, unsafe bytes[index] > 0x20 { return }
                }
            }
        }
        return texts
    }

    /// The index of the quotation mark that begins a string; nil when it is not there.
    private static func start(ofStringEndingAt end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = end
        while index > 0 {
            index -= 1
            guard unsafe bytes[index] == UInt8(ascii: "\"") else { continue }
            let escapes = unsafe bytes[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            // Before the first byte here may stand another escape.
            guard escapes < index else { return nil }
            if escapes.isMultiple(of: 2) { return index }
            index -= escapes
        }
        return nil
    }
}

extension JSONScanner {
    /// The string value at a place; nil for any other value.
    fileprivate func text(at place: Range<Int>) -> String? {
        var scanner = self
        scanner.index = place.lowerBound
        guard scanner.next() == UInt8(ascii: "\"") else { return nil }
        return (try? scanner.string()).flatMap { try? scanner.text($0) }
    }
}
