extension JSONOutline {
    /// The strings under some names of a JSON object, searched for in the first bytes of its text only: the rest costs
    /// nothing, and the values in between are not built.
    ///
    /// The first member of a name wins, as it does for a reader; values that are not strings are left out.
    package static func texts(
        under names: Set<String>, inFirst count: Int, of bytes: some Collection<UInt8>
    ) -> [String: String] {
        var texts: [String: String] = [:]
        var sought = names
        Array(bytes.prefix(count)).withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
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
    package static func texts(
        under names: Set<String>, inLast count: Int, of bytes: some BidirectionalCollection<UInt8>
    ) -> [String: String] {
        var texts: [String: String] = [:]
        var sought = names
        Array(bytes.suffix(count)).withUnsafeBufferPointer { bytes in
            var depth = 0
            // The place of the text that is the value of the member being read; whether its name comes next.
            var (value, isName) = (Range<Int>?.none, false)
            var index = bytes.count
            while index > 0, !sought.isEmpty {
                index -= 1
                switch bytes[index] {
                case UInt8(ascii: "\""):
                    guard let start = start(ofStringEndingAt: index, in: bytes) else { return }
                    let place = start..<index + 1
                    index = start
                    guard depth == 1 else { continue }
                    guard isName else {
                        value = place
                        continue
                    }
                    let scanner = JSONScanner(bytes)
                    if let name = scanner.text(at: place), sought.remove(name) != nil {
                        texts[name] = value.flatMap(scanner.text)
                    }
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth += 1
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth -= 1
                    if depth <= 0 { return }
                case UInt8(ascii: ":") where depth == 1: isName = true
                case UInt8(ascii: ",") where depth == 1: (value, isName) = (nil, false)
                default: if depth == 0, bytes[index] > 0x20 { return }
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
            guard bytes[index] == UInt8(ascii: "\"") else { continue }
            let escapes = bytes[..<index].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
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
