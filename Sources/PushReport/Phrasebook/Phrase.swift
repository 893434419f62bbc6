internal import Push

/// A text in every language: a row of the tables beside this file.
///
/// A fixed text is a constant, a sentence a function, which each language fills in its own order and with its own plurals.
package struct Phrase: Hashable, Sendable {
    let english: String
    let chinese: String

    /// Creates a text from what each language says.
    package init(_ english: String, _ chinese: String) {
        (self.english, self.chinese) = (english, chinese)
    }

    /// A number and its noun, in the plural unless the number is one.
    static func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count.grouped) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// `a`, `a and b`, `a, b and c`.
    static func anded(_ texts: [String]) -> String {
        guard texts.count > 1, let last = texts.last else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + " and " + last
    }
}
