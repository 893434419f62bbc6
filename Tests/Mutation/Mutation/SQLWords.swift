/// The words of an SQL statement that have a mutant: comparisons and what joins them, but not what `SET` assigns.
struct SQLWords {
    /// True if the text is SQL.
    let isSQL: Bool
    private var assigns = false

    init(_ statement: String) {
        isSQL = Self.marks.contains(where: statement.contains)
    }

    private static let marks = ["SELECT ", "UPDATE ", "DELETE FROM ", "INSERT INTO ", " = ?", " AND "]
    private static let mutants = [
        "=": "<>", "<>": "=", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "AND": "OR", "MIN": "MAX", "MAX": "MIN",
        "IS NULL": "IS NOT NULL", "IS NOT NULL": "IS NULL", " DESC": "",
    ]

    /// Returns the words of the next part of the statement, with their offsets in UTF-8.
    mutating func mutants(of part: String) -> [(offset: Int, word: String, mutant: String)] {
        var found: [(Int, String, String)] = []
        var offset = 0
        var rest = Substring(part)
        while let character = rest.first {
            let word = Self.longest.first { rest.hasPrefix($0) && Self.isWhole($0, rest, after: part, offset) }
            if let word {
                if word == "SET" { assigns = true }
                if word == "WHERE" { assigns = false }
                if let mutant = Self.mutants[word], !(assigns && word == "=") { found.append((offset, word, mutant)) }
            }
            let step = word ?? String(character)
            rest = rest.dropFirst(step.count)
            offset += step.utf8.count
        }
        return found
    }

    /// The longest first: `IS NOT NULL` before `IS NULL`, `<=` before `<`.
    private static let longest = (mutants.keys + ["SET", "WHERE"]).sorted { ($1.count, $0) < ($0.count, $1) }

    /// True if no letter stands beside a word of letters.
    private static func isWhole(_ word: String, _ rest: Substring, after part: String, _ offset: Int) -> Bool {
        guard word.contains(where: \.isLetter) else { return true }
        let before = part.utf8.prefix(offset).last.map { Character(UnicodeScalar($0)) }
        return before?.isLetter != true && rest.dropFirst(word.count).first?.isLetter != true
    }
}
