package import Base

/// A value between a file and the model: checked, but not yet converted.
package enum FieldValue: Sendable {
    /// A string, a name or a choice.
    case text(String)
    /// `true` or `false`.
    case flag(Bool)
    /// An integer.
    case integer(Int)
    /// A number.
    case number(Double)
    /// A duration.
    case duration(Duration)
    /// A point in time, with the offset as written.
    case instant(OffsetInstant)
    /// A condition, or a mapping with arbitrary keys.
    case json(JSONValue)
    /// A list of strings.
    case list([String])
    /// A list of mappings with known fields.
    case maps([[FieldValue?]])
    /// A mapping from arbitrary keys to values of one type.
    case entries([(key: String, value: FieldValue)])
    /// A mapping with known fields: one slot per row of its table.
    case fields([FieldValue?])

    /// The values of a mapping of known fields.
    package var fields: [FieldValue?]? { if case .fields(let values) = self { values } else { nil } }

    /// The most bytes that its strings take in JSON; numbers and names count only inside mappings.
    var textBytes: Int {
        switch self {
        case .text(let text): text.jsonByteCount
        case .json(let value): value.canonicalByteCount
        case .list(let texts): texts.reduce(0) { $0 + $1.jsonByteCount + 1 }
        case .maps(let maps): maps.reduce(0) { $0 + FieldValue.fields($1).textBytes + 1 }
        case .entries(let entries): entries.reduce(0) { $0 + $1.key.jsonByteCount + $1.value.textBytes + 2 }
        case .fields(let values): values.reduce(0) { $0 + ($1.map { $0.textBytes + 40 } ?? 0) }
        case .flag, .integer, .number, .duration, .instant: 0
        }
    }
}
