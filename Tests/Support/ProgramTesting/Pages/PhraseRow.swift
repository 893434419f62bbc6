internal import Foundation

/// A fixed text of the tables, as its row in the source has it.
package struct PhraseRow: Sendable {
    /// The name of the constant, or the one that templates use.
    package let name: String
    /// The text in English.
    package let english: String
    /// The text in Chinese.
    package let chinese: String

    /// The rows that need no more than a line for each language.
    package static let all: [PhraseRow] = {
        let sources = repository.appending(path: "Sources")
        let row = /(\w+)"?(?: =|:) Phrase\(\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\s*\)/
        return ["PushReport/Phrasebook", "PushReport/Report", "PushServer/Console"].flatMap { folder in
            let root = sources.appending(path: folder)
            let names = FileManager.default.subpaths(atPath: root.path) ?? []
            return names.filter { $0.hasSuffix(".swift") }.flatMap { name in
                let text = (try? String(contentsOf: root.appending(path: name), encoding: .utf8)) ?? ""
                return text.matches(of: row).map { match in
                    PhraseRow(
                        name: String(match.output.1), english: String(match.output.2), chinese: String(match.output.3))
                }
            }
        }
    }()
}
