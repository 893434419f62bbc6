internal import Foundation
import ProgramTesting

/// The pages of the repository, and what sources and pages refer to.
struct Documents {
    /// A place where something is referred to.
    struct Mention: CustomStringConvertible {
        let line: Line
        /// The page, as it is written.
        let page: String
        /// The heading's anchor; nil: the whole page.
        let heading: String?

        var description: String { "\(line.file):\(line.number): \(page)\(heading.map { "#\($0)" } ?? "")" }
    }

    /// A line of a page, or a comment of a source.
    struct Line {
        let file: String
        let number: Int
        let text: String

        init(file: String, number: Int, _ text: String) {
            self.file = file
            self.number = number
            self.text = text
        }
    }

    /// The pages that comments and prose name, such as `README.md` or `docs/reference/exit-codes.md#codes`.
    let names: [Mention]
    /// The links of pages to files.
    let links: [Mention]
    /// The pages a reader opens.
    let pages: [String]

    private static let root = repository

    init() {
        let files = Self.files
        pages = files.filter { $0.hasSuffix(".md") }
        let lines = pages.flatMap(Self.prose) + files.filter { $0.hasSuffix(".swift") }.flatMap(Self.comments)
        names = lines.flatMap(Self.names)
        links = lines.flatMap(Self.links)
    }

    /// Whether a file and its heading are there: a link's from the folder of the page, a name's from the root as well.
    func isThere(_ mention: Mention, isLink: Bool = false) -> Bool {
        let folder = (mention.line.file as NSString).deletingLastPathComponent
        let near = mention.page.isEmpty ? mention.line.file : "\(folder)/\(mention.page)"
        guard
            let place = (isLink ? [near] : [near, mention.page]).first(where: {
                FileManager.default.fileExists(atPath: Self.root.appending(path: $0).standardized.path)
            })
        else { return false }
        return mention.heading.map { heading in
            Self.headings(of: place).contains { Self.anchor($0) == heading }
        } ?? true
    }

    /// The pages that a line names; addresses are none.
    static func names(in line: Line) -> [Mention] {
        guard line.text.contains(".md") else { return [] }
        return line.text.replacing(/https?:\S+/, with: "").matches(of: /([\w.\/-]*\w\.md)\b(?:#([\w-]*\w))?/).map {
            Mention(line: line, page: String($0.output.1), heading: $0.output.2.map(String.init))
        }
    }

    /// The links to files of a line of a page.
    static func links(in line: Line) -> [Mention] {
        guard line.file.hasSuffix(".md") else { return [] }
        return line.text.matches(of: /\]\(([^)#<]*)(?:#([^)]*))?\)/).filter { !$0.output.1.contains(":") }.map {
            Mention(line: line, page: String($0.output.1), heading: $0.output.2.map(String.init))
        }
    }
}

extension Documents {
    /// Every source and page, without what the tests record or feed to readers.
    private static var files: [String] {
        let options: FileManager.DirectoryEnumerationOptions = [.skipsHiddenFiles]
        let all = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil, options: options)
        return (all?.compactMap { ($0 as? URL)?.standardized.path.dropFirst(root.path.count) } ?? [])
            .map { String($0.drop { $0 == "/" }) }
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }
            .filter { !$0.contains("/Goldens/") && !$0.hasPrefix("Tests/Fuzz/Corpus/") }.sorted()
    }

    /// A page as it stands in the repository.
    static func text(of page: String) throws -> String {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    private static func lines(of file: String) -> [Line] {
        let text = (try? text(of: file)) ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            Line(file: file, number: $0.offset + 1, String($0.element))
        }
    }

    /// The lines of a page outside its blocks of code.
    private static func prose(of page: String) -> [Line] {
        var isCode = false
        return lines(of: page).filter { line in
            if line.text.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
    }

    /// The comments of a source that have a line to themselves; what a test makes wrong on purpose is text.
    private static func comments(of source: String) -> [Line] {
        lines(of: source).filter { $0.text.drop { $0 == " " }.hasPrefix("//") }
    }

    private static func headings(of page: String) -> [String] {
        prose(of: page).filter { $0.text.hasPrefix("#") }.map {
            String($0.text.drop { $0 == "#" }.drop { $0 == " " })
        }
    }

    /// As forges make it: lower case, without punctuation.
    private static func anchor(_ heading: String) -> String {
        heading.lowercased().replacing(/[^\w -]/, with: "").replacing(" ", with: "-")
    }
}
