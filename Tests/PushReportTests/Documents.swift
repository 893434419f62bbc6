internal import Foundation

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

    /// Links to articles: `doc:ARTICLE#HEADING` of the same module, or `doc:/MODULE/ARTICLE#HEADING`.
    let references: [Mention]
    /// The pages that are named, such as `README.md`.
    let names: [Mention]
    /// The links of pages to files.
    let links: [Mention]
    /// The anchors of each article, by `/MODULE/ARTICLE`.
    let articles: [String: Set<String>]

    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    init() {
        let files = Self.files
        let pages = files.filter { $0.hasSuffix(".md") }
        articles = Dictionary(
            uniqueKeysWithValues: pages.compactMap { page in
                Self.article(page).map { ($0, Set(Self.headings(of: page).map(Self.anchor))) }
            })
        let lines = pages.flatMap(Self.prose) + files.filter { $0.hasSuffix(".swift") }.flatMap(Self.comments)
        references = lines.flatMap(Self.references)
        names = lines.flatMap(Self.names)
        links = lines.flatMap(Self.links)
    }

    /// Whether an article and its heading are there.
    func resolves(_ reference: Mention) -> Bool {
        let page =
            reference.page.hasPrefix("/")
            ? reference.page : Self.module(of: reference.line.file).map { "/\($0)/\(reference.page)" }
        guard let page, let anchors = articles[reference.page.isEmpty ? Self.article(reference.line.file) ?? "" : page]
        else { return false }
        return reference.heading.map(anchors.contains) ?? true
    }

    /// Whether a file and its heading are there: from the folder of the page that names it, or from the root.
    func isThere(_ mention: Mention) -> Bool {
        let folder = (mention.line.file as NSString).deletingLastPathComponent
        let places = [mention.page.isEmpty ? mention.line.file : "\(folder)/\(mention.page)", mention.page]
        guard
            let place = places.first(where: {
                FileManager.default.fileExists(atPath: Self.root.appending(path: $0).standardized.path)
            })
        else { return false }
        return mention.heading.map { heading in
            Self.headings(of: place).contains { Self.webAnchor($0) == heading }
        } ?? true
    }

    /// The references to articles of a line; between backticks a page explains one.
    static func references(in line: Line) -> [Mention] {
        guard line.text.contains("<doc:") else { return [] }
        let text = line.file.hasSuffix(".md") ? line.text.replacing(/`[^`]*`/, with: "") : line.text
        return text.matches(of: /<doc:([^>#]*)(?:#([^>]*))?>/).map {
            Mention(line: line, page: String($0.output.1), heading: $0.output.2.map(String.init))
        }
    }

    /// The pages that a line names; addresses are none.
    static func names(in line: Line) -> [Mention] {
        guard line.text.contains(".md") else { return [] }
        return line.text.replacing(/https?:\S+/, with: "").matches(of: /[\w.\/-]*\w\.md\b/).map {
            Mention(line: line, page: String($0.output), heading: nil)
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

    private static func lines(of file: String) -> [Line] {
        let text = (try? String(contentsOf: root.appending(path: file), encoding: .utf8)) ?? ""
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

    /// As DocC makes it: a hyphen for each space.
    private static func anchor(_ heading: String) -> String { heading.replacing(" ", with: "-") }

    /// As forges make it: lower case, without punctuation.
    private static func webAnchor(_ heading: String) -> String {
        heading.lowercased().replacing(/[^\w -]/, with: "").replacing(" ", with: "-")
    }

    private static func module(of file: String) -> String? {
        let parts = file.split(separator: "/")
        return parts.count > 3 && parts[0] == "Sources" ? String(parts[2]) : nil
    }

    /// `/MODULE/ARTICLE` of a page in a catalogue.
    private static func article(_ page: String) -> String? {
        guard page.contains(".docc/"), let module = module(of: page) else { return nil }
        return "/\(module)/\((page as NSString).lastPathComponent.dropLast(".md".count))"
    }
}
