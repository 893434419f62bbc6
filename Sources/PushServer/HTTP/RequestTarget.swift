/// The path and the query of a request line.
struct RequestTarget: Hashable, Sendable {
    /// The path as it was sent.
    let rawPath: String
    /// Its parts, decoded.
    let path: [String]
    /// The query parameters, decoded; the last of equal names counts.
    let query: [String: String]

    /// Splits a target; `nil` when an escape is broken or the text is not UTF-8.
    init?(_ target: String) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        rawPath = String(parts.first ?? "")
        var path: [String] = []
        for segment in rawPath.split(separator: "/") {
            guard let decoded = Self.decoded(segment, plusIsSpace: false) else { return nil }
            path.append(decoded)
        }
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0], plusIsSpace: true),
                let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            query[name] = value
        }
        self.path = path
        self.query = query
    }

    /// The parts after the version; `nil` when this is no call of version 1.1.
    var versioned: [String]? {
        path.first == "1.1" ? Array(path.dropFirst()) : nil
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var source = text.utf8.makeIterator()
        while let byte = source.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = source.next().flatMap(hexDigit), let low = source.next().flatMap(hexDigit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
