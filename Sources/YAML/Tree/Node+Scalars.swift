/// A scalar's value by the core schema of YAML 1.2.
package enum Scalar: Hashable, Sendable {
    /// `null`, `Null`, `NULL`, `~`, or nothing at all.
    case null
    /// `true`, `True`, `TRUE`, `false`, `False`, `FALSE`, and nothing else.
    case bool(Bool)
    /// Decimal, `0o17` or `0x1f`; `010` is ten.
    case integer(Int64)
    /// An integer that does not fit 64 bits, as written.
    case hugeInteger(String)
    /// A number with a fraction or an exponent, always finite.
    case float(Double)
    /// Everything else, and everything in quotes or in a block.
    case string(String)
    /// No value; a diagnostic has been issued.
    case invalid
}

extension Node {
    /// The value of a scalar; nil for a collection.
    package var scalar: Scalar? {
        let record = record
        let bytes = document.text[record.form.isScalar ? record.textRange : 0..<0]
        switch record.form {
        case .sequence, .mapping, .alias: return nil
        case .null: return .null
        case .bool: return .bool(bytes.first == UInt8(ascii: "t") || bytes.first == UInt8(ascii: "T"))
        case .integer: return ScalarResolution.integer(bytes).map(Scalar.integer) ?? .invalid
        case .hugeInteger: return .hugeInteger(String(decoding: bytes, as: UTF8.self))
        case .float: return ScalarResolution.double(bytes).map(Scalar.float) ?? .invalid
        case .string: return .string(String(decoding: bytes, as: UTF8.self))
        case .invalid: return .invalid
        }
    }

    /// The text of a scalar, quotes and escapes resolved, whatever its type; a key's name.
    package var text: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

    /// The text of a scalar that is a string; nil for an unquoted number, Boolean or null.
    package var string: String? { record.form == .string ? text : nil }

    /// True for a scalar whose text is `text`, byte for byte; creates no string.
    package func hasText(_ text: StaticString) -> Bool { utf8?.equals(text) ?? false }

    /// True for a scalar whose text is `text`, byte for byte; creates no string.
    package func hasText(_ text: String) -> Bool { utf8?.elementsEqual(text.utf8) ?? false }

    /// The UTF-8 bytes of a scalar's text, whatever its type; nil for a collection. Creates no string.
    package var utf8: ArraySlice<UInt8>? {
        let record = record
        return record.form.isScalar ? document.text[record.textRange] : nil
    }
}

extension NodeForm {
    /// True if the record's `first` and `count` describe a text.
    fileprivate var isScalar: Bool {
        switch self {
        case .null, .bool, .integer, .hugeInteger, .float, .string, .invalid: true
        case .sequence, .mapping, .alias: false
        }
    }
}
