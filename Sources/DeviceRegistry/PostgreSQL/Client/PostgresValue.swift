internal import Base

/// A value bound to a statement's `$1`, `$2`, …, never spliced into its text.
package enum PostgresValue: Hashable, Sendable {
    /// SQL's `NULL`.
    case null
    /// UTF-8 text without a NUL; the server reads it as the type expected in its place, such as `jsonb`.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Bytes, for `bytea`.
    case bytes([UInt8])
    /// A list of strings, for `= ANY ($1::text[])` and `unnest($1::text[])`.
    case texts([String])
    /// A list of whole numbers, for `bigint[]`.
    case integers([Int64])

    /// The text form the server reads; nil for `NULL`.
    var spelling: String? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .bytes(let bytes): "\\x" + bytes.hexadecimal
        case .texts(let texts): Self.list(texts)
        case .integers(let numbers): "{" + numbers.map(String.init).joined(separator: ",") + "}"
        }
    }

    private static func list(_ texts: [String]) -> String {
        var bytes = Array("{".utf8)
        bytes.reserveCapacity(texts.reduce(2) { $0 + $1.utf8.count + 3 })
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// One row of a result.
package struct PostgresRow: Hashable, Sendable {
    /// The columns in order; nil for `NULL`.
    let columns: [String?]

    /// The text of a column, counted from 0; nil for `NULL`.
    package func text(_ column: Int) -> String? { columns[column] }

    /// The value of an integer column; nil for `NULL`.
    package func integer(_ column: Int) -> Int64? { columns[column].flatMap(Int64.init) }

    /// The bytes of a `bytea` column; nil for `NULL`.
    package func bytes(_ column: Int) -> [UInt8]? {
        columns[column].map { text in
            let digits = Array(text.utf8.dropFirst(2))
            func value(_ digit: UInt8) -> UInt8 { digit & 15 &+ (digit > UInt8(ascii: "9") ? 9 : 0) }
            return unsafe [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
                for index in 0..<digits.count / 2 {
                    unsafe bytes[index] = value(digits[2 * index]) << 4 | value(digits[2 * index + 1])
                }
                count = digits.count / 2
            }
        }
    }

    /// The value of a boolean column; false for `NULL`.
    package func boolean(_ column: Int) -> Bool { columns[column] == "t" }
}
