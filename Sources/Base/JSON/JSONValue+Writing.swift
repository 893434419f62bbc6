extension JSONValue {
    /// The canonical text: keys sorted by their UTF-8 bytes, no spaces, only the escapes that JSON requires.
    ///
    /// Equal values give equal bytes, so they can be hashed, compared and counted before they are sent.
    package var canonicalBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        write(to: &bytes)
        return bytes
    }

    /// ``canonicalBytes`` as a string.
    package var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }

    /// Human-readable text: sorted keys, two spaces per level.
    package var prettyText: String {
        var bytes: [UInt8] = []
        writePretty(to: &bytes, level: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null, .bool, .integer, .number, .string: writeScalar(to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in Self.sorted(members).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.writeString(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private func writePretty(to bytes: inout [UInt8], level: Int) {
        func newLine(_ level: Int) {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
        }
        switch self {
        case .array(let elements) where !elements.isEmpty:
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                newLine(level + 1)
                element.writePretty(to: &bytes, level: level + 1)
            }
            newLine(level)
            bytes.append(UInt8(ascii: "]"))
        case .object(let members) where !members.isEmpty:
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in Self.sorted(members).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                newLine(level + 1)
                Self.writeString(member.key, to: &bytes)
                bytes.append(contentsOf: ": ".utf8)
                member.value.writePretty(to: &bytes, level: level + 1)
            }
            newLine(level)
            bytes.append(UInt8(ascii: "}"))
        case .null, .bool, .integer, .number, .string, .array, .object: write(to: &bytes)
        }
    }

    private func writeScalar(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value):
            // Whole numbers are written the same way whichever case holds them.
            if let whole = Int64(exactly: value) {
                bytes.append(contentsOf: String(whole).utf8)
            } else {
                bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
            }
        case .string(let text): Self.writeString(text, to: &bytes)
        case .array, .object: break
        }
    }

    private static func sorted(_ members: JSONObject) -> [(key: String, value: JSONValue)] {
        members.count < 2
            ? members.map { ($0.key, $0.value) }
            : members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func writeString(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Most texts need no escape: whole runs between escapes are copied.
            var start = 0
            for (index, byte) in utf8.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: utf8[start..<index])
                writeEscape(byte, to: &bytes)
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func writeEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        default: bytes.append(contentsOf: "\\u\(byte.hexadecimal(digits: 4))".utf8)
        }
    }
}
