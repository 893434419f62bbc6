/// The positions of the members of a JSON object, and of the elements of its arrays, in its text.
///
/// A value needs several times the memory of its text. With an outline a large text is read piece by piece, on all
/// cores; errors within a piece are found when it is read.
package struct JSONOutline: Sendable {
    /// The text.
    package let bytes: [UInt8]
    /// The members in the order of the text: the name as written, without quotation marks, and the value's place.
    private let members: [Place]
    private typealias Place = (name: Range<Int>, value: Range<Int>)

    /// Outlines a text; nil when it is not an object, not even roughly JSON, nested deeper than `depth`, or has a
    /// member whose name is written with an escape.
    package init?(of bytes: [UInt8], depth: Int = 128) {
        let members = bytes.withUnsafeBufferPointer { bytes -> [Place]? in
            var scanner = JSONScanner(bytes)
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
    package enum Member: Hashable, Sendable {
        case missing
        /// An array, with the places of its elements.
        case list([Range<Int>])
        /// Anything else, or several members of that name.
        case other
    }

    /// Looks up a member by its name as written.
    package func member(_ name: String) -> Member {
        let found = places(of: name)
        guard let place = found.first else { return .missing }
        guard found.count == 1, let elements = elements(of: place) else { return .other }
        return .list(elements)
    }

    /// The text with some members replaced by empty arrays.
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
        members.filter { bytes[$0.name].elementsEqual(member.utf8) }.map(\.value)
    }

    private func elements(of place: Range<Int>) -> [Range<Int>]? {
        bytes[..<place.upperBound].withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            scanner.index = place.lowerBound
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
