extension JSONOutline {
    /// The texts under some names of a JSON object, sought in no more than the beginning of its text: what stands behind
    /// costs nothing, and nothing is made of what stands between.
    ///
    /// Of members of one name the first counts, as it does for a reader; what is no text is left out.
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
    /// The text that a value is; nil when it is none.
    fileprivate func text(at place: Range<Int>) -> String? {
        var scanner = self
        scanner.index = place.lowerBound
        guard scanner.next() == UInt8(ascii: "\"") else { return nil }
        return (try? scanner.string()).flatMap { try? scanner.text($0) }
    }
}
