package import Base

/// A constraint between the fields of a mapping, including those of mappings inside it.
///
/// Paths are field names, starting at the mapping.
package enum FieldRule: Sendable {
    /// Exactly one of these fields is present.
    case exactlyOne(of: [String])
    /// At least one field is present.
    case notEmpty
    /// The test is true.
    case always(FieldTest)
    /// If the first test is true, the second is true as well.
    case when(FieldTest, FieldTest)
}

/// A test of a document's fields.
package indirect enum FieldTest: Sendable {
    /// The field is present, valid or not.
    case has([String])
    /// None of these fields is present in the mapping at the path.
    case lacks([String], below: [String])
    /// The field has this value.
    case equals([String], JSONValue)
    /// The field is a string that matches the pattern.
    case matches([String], pattern: String)
    /// The number of the field's elements or entries is in the range.
    case count([String], ClosedRange<Int>)
    /// Every element of the field, if it is present, is a string that matches the pattern.
    case elements([String], pattern: String)
    /// The test is false.
    case not(FieldTest)
    /// All tests are true.
    case allOf([FieldTest])
    /// At least one test is true.
    case anyOf([FieldTest])

    /// At least one of these fields is present.
    package static func hasAny(_ fields: [String], below path: [String] = []) -> FieldTest {
        .anyOf(fields.map { .has(path + [$0]) })
    }

    /// None of these fields is present.
    package static func lacks(_ fields: [String]) -> FieldTest { .lacks(fields, below: []) }
}

/// The limits of a list: its length, and whether elements may repeat.
package struct ListRule: Hashable, Sendable {
    /// The minimum number of elements.
    package let minimum: Int
    /// The maximum number of elements; nil: no limit.
    package let maximum: Int?
    /// True when an element may occur more than once.
    package let allowsRepeats: Bool

    package init(minimum: Int = 1, maximum: Int? = nil, allowsRepeats: Bool = false) {
        self.minimum = minimum
        self.maximum = maximum
        self.allowsRepeats = allowsRepeats
    }
}
