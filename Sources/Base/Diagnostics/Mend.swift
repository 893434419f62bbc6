/// A text that a program may write in the place of what is wrong, because it can only be meant so.
package struct Mend: Hashable, Sendable {
    /// The place, within one line.
    package var range: SourceRange
    /// The text that is written there.
    package var text: String

    /// Creates a mend; nil for a place of several lines.
    package init?(_ text: String, at range: SourceRange) {
        guard range.start.line == range.end.line else { return nil }
        self.range = range
        self.text = text
    }
}

/// What to do about a mistake: the sentence that says so, and the text that a program may write instead.
package struct Advice: Hashable, Sendable {
    /// The sentence.
    package let sentence: String
    /// The text; nil when a person must decide.
    package let text: String?

    package init(_ sentence: String, writing text: String? = nil) {
        self.sentence = sentence
        self.text = text
    }

    /// The advice to write a text.
    package static func write(_ text: String) -> Advice { Advice("write \(text)", writing: text) }
}
