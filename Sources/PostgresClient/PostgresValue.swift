/// A value that is bound to a statement's `$1`, `$2`, …: never a part of its text.
package enum PostgresValue: Hashable, Sendable {
    /// SQL's `NULL`.
    case null
    /// Text in UTF-8 without a NUL; the server reads it as the type that stands in its place, such as `jsonb`.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A number.
    case real(Double)
    /// A truth value.
    case boolean(Bool)
    /// A list of texts, for `= ANY ($1::text[])` and `unnest($1::text[])`.
    case texts([String])
    /// A list of whole numbers, for `bigint[]`.
    case integers([Int64])

    /// A text, or `NULL` when there is none.
    package init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    /// A whole number, or `NULL` when there is none.
    package init(_ number: Int64?) {
        self = number.map { .integer($0) } ?? .null
    }

    /// What the server reads; nil for `NULL`.
    var spelling: String? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let flag): flag ? "t" : "f"
        case .texts(let texts): Self.list(texts)
        case .integers(let numbers): "{" + numbers.map(String.init).joined(separator: ",") + "}"
        }
    }

    private static func list(_ texts: [String]) -> String {
        var bytes = Array("{".utf8)
        for (index, text) in texts.enumerated() {
            bytes += index == 0 ? [UInt8(ascii: "\"")] : [UInt8(ascii: ","), UInt8(ascii: "\"")]
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        return String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self)
    }
}

/// One row of an answer.
package struct PostgresRow: Hashable, Sendable {
    /// The columns in their order; nil for `NULL`.
    let columns: [String?]

    /// The text of a column, counted from 0; nil for `NULL`.
    package func text(_ column: Int) -> String? { columns[column] }

    /// The whole number of a column; nil for `NULL`.
    package func integer(_ column: Int) -> Int64? { columns[column].flatMap(Int64.init) }

    /// The truth value of a column; false for `NULL`.
    package func boolean(_ column: Int) -> Bool { columns[column] == "t" }
}
