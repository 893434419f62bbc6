package import Base

/// What the reference says about a diagnostic: what its code means, why it is said, an example, and the mend.
package struct DiagnosticArticle: Sendable {
    private let meaning: Words
    private let why: Words
    private let mend: Words
    /// A file or situation that gives the diagnostic; what is no YAML stands behind `#`.
    package let example: String

    /// A sentence or two, in English and in Chinese.
    typealias Words = (english: String, chinese: String)

    init(meaning: Words, why: Words, example: String, mend: Words) {
        self.meaning = meaning
        self.why = why
        self.example = example
        self.mend = mend
    }

    /// The article of a code; every code has one.
    package init?(_ code: DiagnosticCode) {
        let found =
            Self.files(code) ?? Self.shape(code) ?? Self.remotes(code) ?? Self.plan(code) ?? Self.audiences(code)
        guard let article = found else { return nil }
        self = article
    }

    /// What the code means.
    package func meaning(in language: Language) -> String { Self.text(meaning, language) }

    /// Why it is said.
    package func why(in language: Language) -> String { Self.text(why, language) }

    /// What to do about it.
    package func mend(in language: Language) -> String { Self.text(mend, language) }

    /// The code, and the article below it, as `bugle explain` prints it.
    package static func page(of code: DiagnosticCode, in language: Language) -> String? {
        guard let article = DiagnosticArticle(code) else { return nil }
        let (why, example, mend) =
            switch language {
            case .english: ("Why", "Example", "Mend")
            case .chinese: ("原因", "示例", "处理")
            }
        let lines = article.example.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
        return """
            \(code.rawValue): \(article.meaning(in: language))

            \(why)
              \(article.why(in: language))

            \(example)
            \(lines)

            \(mend)
              \(article.mend(in: language))

            """
    }

    private static func text(_ words: Words, _ language: Language) -> String {
        switch language {
        case .english: words.english
        case .chinese: words.chinese
        }
    }
}
