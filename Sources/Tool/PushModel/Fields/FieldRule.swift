package import JSONValue

/// What the fields of one mapping, and of those inside it, mean for each other.
///
/// Paths lead from the mapping by the names of fields.
package enum FieldRule: Sendable {
    /// Exactly one of these fields is there.
    case exactlyOne(of: [String])
    /// At least one field is there.
    case notEmpty
    /// This holds.
    case always(FieldTest)
    /// Where the first holds, the second does.
    case when(FieldTest, FieldTest)
}

/// A statement about fields that is true or false of a document.
package indirect enum FieldTest: Sendable {
    /// The field is there, right or wrong.
    case has([String])
    /// None of these fields is there, in the mapping that the path leads to.
    case lacks([String], below: [String])
    /// The field has this value.
    case equals([String], JSONValue)
    /// The field has so many elements or entries.
    case count([String], ClosedRange<Int>)
    /// Every element of the field, if it is there, is a text in which the pattern is found.
    case elements([String], pattern: String)
    /// The statement is not true.
    case not(FieldTest)
    /// All are true.
    case allOf([FieldTest])
    /// At least one is true.
    case anyOf([FieldTest])

    /// At least one of these fields is there.
    package static func hasAny(_ fields: [String], below path: [String] = []) -> FieldTest {
        .anyOf(fields.map { .has(path + [$0]) })
    }

    /// None of these fields is there.
    package static func lacks(_ fields: [String]) -> FieldTest { .lacks(fields, below: []) }
}

/// How often elements may stand in a list.
package struct ListRule: Hashable, Sendable {
    /// The least number of elements.
    package let minimum: Int
    /// The greatest number of elements; nil: any.
    package let maximum: Int?
    /// Whether an element may stand twice.
    package let allowsRepeats: Bool

    package init(minimum: Int = 1, maximum: Int? = nil, allowsRepeats: Bool = false) {
        self.minimum = minimum
        self.maximum = maximum
        self.allowsRepeats = allowsRepeats
    }
}
