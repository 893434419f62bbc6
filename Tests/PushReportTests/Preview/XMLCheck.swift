/// Whether a text is well-formed XML, as far as drawings use it: elements, attributes, character data, references.
struct XMLCheck {
    /// An element's name with its attributes.
    struct Element: Equatable {
        var name: String
        var attributes: [String: String]
    }

    /// What is wrong, with what follows it.
    struct Problem: Error {
        var description: String
    }

    /// Every element, in order.
    private(set) var elements: [Element] = []
    /// The character data, references resolved.
    private(set) var text = ""
    private var rest: Substring

    init(_ document: String) throws {
        rest = document[...]
        var open: [String] = []
        for scalar in document.unicodeScalars where scalar.value < 0x20 && scalar != "\n" {
            throw Problem(description: "a control character: \(scalar.value)")
        }
        while !rest.isEmpty {
            if rest.hasPrefix("</") {
                rest = rest.dropFirst(2)
                let name = takeName()
                guard open.popLast() == name, take(">") else { throw problem("an end tag that does not fit: \(name)") }
            } else if take("<") {
                let element = try takeElement()
                elements.append(element)
                if take("/>") { continue }
                guard take(">") else { throw problem("a tag that does not end") }
                open.append(element.name)
            } else {
                let data = rest.prefix { $0 != "<" }
                rest = rest.dropFirst(data.count)
                if open.isEmpty, data.contains(where: { !$0.isWhitespace }) { throw problem("text outside") }
                text += try resolved(data)
            }
        }
        guard open.isEmpty else { throw Problem(description: "never closed: \(open)") }
    }

    private mutating func takeElement() throws -> Element {
        var element = Element(name: takeName(), attributes: [:])
        guard !element.name.isEmpty else { throw problem("a tag without a name") }
        while take(" ") {
            let name = takeName()
            guard !name.isEmpty, take("=\""), let end = rest.firstIndex(of: "\"") else { throw problem("an attribute") }
            let value = rest[..<end]
            guard !value.contains("<"), element.attributes.updateValue(try resolved(value), forKey: name) == nil else {
                throw problem("an attribute twice, or with '<': \(name)")
            }
            rest = rest[rest.index(after: end)...]
        }
        return element
    }

    private func resolved(_ data: Substring) throws -> String {
        var result = ""
        var data = data
        while let start = data.firstIndex(of: "&") {
            result += data[..<start]
            guard let end = data[start...].firstIndex(of: ";"),
                let character = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'"][
                    String(data[data.index(after: start)..<end])]
            else { throw problem("an unknown reference: \(data[start...].prefix(20))") }
            result += character
            data = data[data.index(after: end)...]
        }
        if data.contains("]]>") { throw problem("the end of a section that never began") }
        return result + data
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private mutating func takeName() -> String {
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == ":") || $0.isNumber && $0.isASCII }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    private func problem(_ what: String) -> Problem { Problem(description: "\(what), at: \(rest.prefix(60))") }
}
