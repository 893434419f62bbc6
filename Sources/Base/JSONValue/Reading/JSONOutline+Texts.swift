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
