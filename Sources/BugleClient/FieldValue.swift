/// A value of one of the app's own fields of its device, such as `userId` or `favoriteTeam`.
public enum FieldValue: Codable, Hashable, Sendable {
    /// A text.
    case text(String)
    /// A whole number.
    case integer(Int)
    /// A number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// A list of texts.
    case texts([String])

    /// The value as `JSONSerialization` takes it.
    var json: Any {
        switch self {
        case .text(let text): text
        case .integer(let number): number
        case .number(let number): number
        case .flag(let flag): flag
        case .texts(let texts): texts
        }
    }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}
