package import JSONValue

/// A value on its way between a file and the model: checked, but not yet what it means.
package enum FieldValue: Sendable {
    /// A text, a name, a choice.
    case text(String)
    /// `true` or `false`.
    case flag(Bool)
    /// A whole number.
    case integer(Int)
    /// A number.
    case number(Double)
    /// A length of time.
    case duration(Duration)
    /// A moment, with the offset as written.
    case instant(OffsetInstant)
    /// A condition, or a mapping of any keys.
    case json(JSONValue)
    /// A list of texts.
    case list([String])
    /// A mapping of free keys.
    case entries([(key: String, value: FieldValue)])
    /// A mapping of known fields, a place for each of its table.
    case fields([FieldValue?])

    /// The values of a mapping of known fields.
    package var fields: [FieldValue?]? { if case .fields(let values) = self { values } else { nil } }

    /// How many bytes its texts take in JSON, at most; numbers and names are counted only inside of mappings.
    var textBytes: Int {
        switch self {
        case .text(let text): text.jsonByteCount
        case .json(let value): value.canonicalByteCount
        case .list(let texts): texts.reduce(0) { $0 + $1.jsonByteCount + 1 }
        case .entries(let entries): entries.reduce(0) { $0 + $1.key.jsonByteCount + $1.value.textBytes + 2 }
        case .fields(let values): values.reduce(0) { $0 + ($1.map { $0.textBytes + 40 } ?? 0) }
        case .flag, .integer, .number, .duration, .instant: 0
        }
    }
}
