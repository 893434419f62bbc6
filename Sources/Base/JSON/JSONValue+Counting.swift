extension JSONValue {
    /// The length of ``canonicalBytes``, computed without writing them.
    package var canonicalByteCount: Int {
        switch self {
        case .null: 4
        case .bool(let value): value ? 4 : 5
        case .integer(let value): value.decimalDigits + (value < 0 ? 1 : 0)
        case .number: canonicalBytes.count
        case .string(let text): text.jsonByteCount
        case .array(let elements): elements.reduce(2 + max(0, elements.count - 1)) { $0 + $1.canonicalByteCount }
        case .object(let members):
            members.reduce(2 + max(0, members.count - 1)) {
                $0 + $1.key.jsonByteCount + 1 + $1.value.canonicalByteCount
            }
        }
    }
}

extension Int64 {
    /// The number of digits, without the sign.
    fileprivate var decimalDigits: Int {
        var (digits, rest) = (1, magnitude / 10)
        while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
        return digits
    }
}

extension String {
    /// The length of this text as a JSON string, quotes and escapes included.
    package var jsonByteCount: Int {
        utf8.reduce(2) { count, byte in
            switch byte {
            case 0x22, 0x5C, 0x0A, 0x0D, 0x09: count + 2
            case 0..<0x20: count + 6
            default: count + 1
            }
        }
    }
}
