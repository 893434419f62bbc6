/// A page taken apart by rules stricter than HTML's: every element is closed, every attribute quoted, every reference to
/// a character known.
package struct PageCheck {
    /// An element as it begins.
    package struct Element {
        /// Its name.
        package let name: String
        /// Its attributes, with references resolved.
        package let attributes: [String: String]
    }

    /// The broken rules.
    package struct Problem: Error, CustomStringConvertible {
        /// In one sentence.
        package let description: String
    }

    /// In the order in which they begin.
    package private(set) var elements: [Element] = []
    /// All that a reader reads, with references resolved.
    package private(set) var text = ""
    /// The contents of `style`.
    package private(set) var style = ""

    private static let void: Set = ["meta", "br", "link", "img", "input", "hr"]
    private static let references = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'", "#13": "\r"]

    /// Takes a page apart.
    ///
    /// - Throws: ``Problem`` at the first thing that is not well-formed.
    package init(_ page: String) throws {
        var rest = page[...]
        try Self.skip("<!DOCTYPE html>\n", &rest)
        var open: [String] = []
        while !rest.isEmpty {
            if rest.first == "<" {
                rest = rest.dropFirst()
                if rest.first == "/" {
                    rest = rest.dropFirst()
                    let name = String(rest.prefix { $0 != ">" })
                    guard open.popLast() == name else { throw Problem(description: "</\(name)> closes nothing") }
                    rest = rest.dropFirst(name.count + 1)
                } else if let name = try begin(&rest) {
                    open.append(name)
                    if name == "style" { style += Self.raw(&rest) }
                }
            } else {
                let run = rest.prefix { $0 != "<" }
                text += try Self.resolved(run)
                rest = rest.dropFirst(run.count)
            }
        }
        guard open.isEmpty else { throw Problem(description: "not closed: \(open)") }
    }

    private mutating func begin(_ rest: inout Substring) throws -> String? {
        let name = String(rest.prefix { $0.isLetter || $0.isNumber })
        guard !name.isEmpty else { throw Problem(description: "a < that begins no element: \(rest.prefix(20))") }
        rest = rest.dropFirst(name.count)
        var attributes: [String: String] = [:]
        while rest.first == " " {
            rest = rest.dropFirst()
            let key = String(rest.prefix { $0.isLetter || $0 == "-" || $0 == ":" })
            rest = rest.dropFirst(key.count)
            try Self.skip("=\"", &rest)
            let value = rest.prefix { $0 != "\"" }
            guard !value.contains("<") else { throw Problem(description: "a < in \(key)") }
            rest = rest.dropFirst(value.count + 1)
            guard attributes.updateValue(try Self.resolved(value), forKey: key) == nil else {
                throw Problem(description: "\(key) twice in <\(name)>")
            }
        }
        elements.append(Element(name: name, attributes: attributes))
        if rest.hasPrefix("/>") {
            rest = rest.dropFirst(2)
            return nil
        }
        guard !Self.void.contains(name) else { throw Problem(description: "<\(name)> is not closed") }
        try Self.skip(">", &rest)
        return name
    }

    private static func raw(_ rest: inout Substring) -> String {
        let raw = rest.prefix { $0 != "<" }
        rest = rest.dropFirst(raw.count)
        return String(raw)
    }

    private static func skip(_ text: String, _ rest: inout Substring) throws {
        guard rest.hasPrefix(text) else { throw Problem(description: "\(text) is missing before \(rest.prefix(20))") }
        rest = rest.dropFirst(text.count)
    }

    private static func resolved(_ text: Substring) throws -> String {
        var parts = text.split(separator: "&", omittingEmptySubsequences: false)[...]
        guard !text.contains(">") else { throw Problem(description: "a > that closes nothing: \(text)") }
        var result = String(parts.popFirst() ?? "")
        for part in parts {
            let name = part.prefix { $0 != ";" }
            guard let character = references[String(name)], name.count < part.count else {
                throw Problem(description: "no reference: &\(part.prefix(10))")
            }
            result += character + part.dropFirst(name.count + 1)
        }
        return result
    }

    /// Everything that would load, run or lead anywhere, or lead nowhere.
    package var problems: [String] {
        var problems: [String] = []
        let ids = elements.compactMap { $0.attributes["id"] }
        if Set(ids).count != ids.count { problems.append("an id twice") }
        let banned: Set = [
            "script", "iframe", "object", "embed", "link", "img", "base", "form", "foreignObject", "use",
        ]
        for element in elements {
            if banned.contains(element.name) { problems.append("<\(element.name)>") }
            for (key, value) in element.attributes {
                if key.hasPrefix("on") || key == "src" || key == "srcset" || key == "xmlns" || key == "action" {
                    problems.append("\(key) in <\(element.name)>")
                }
                if key.hasSuffix("href"), !value.hasPrefix("#") || !ids.contains(String(value.dropFirst())) {
                    problems.append("a link to \(value)")
                }
                if ["aria-labelledby", "for"].contains(key), !ids.contains(value) {
                    problems.append("\(key) of nobody")
                }
                if key == "style", Self.loads(value) { problems.append("style=\(value)") }
            }
        }
        if Self.loads(style) { problems.append("the style loads something") }
        let headings = elements.map(\.name).filter { ["h1", "h2", "h3", "h4"].contains($0) }
        if headings.first != "h1" || headings.count(where: { $0 == "h1" }) != 1 { problems.append("not one h1") }
        return problems
    }

    private static func loads(_ style: String) -> Bool {
        ["url(", "@import", "http", "//", "expression", "\\"].contains { style.lowercased().contains($0) }
    }
}
