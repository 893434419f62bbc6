internal import Mustache
package import Push

/// Templates that a program carries within it: there is nothing to install beside it.
///
/// Values are escaped wherever a template names them with two braces.
package struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// Compiles templates; one that is broken ends the program, as no input can break it.
    ///
    /// - Parameters:
    ///   - sources: the templates by the names under which they include each other.
    ///   - words: what stands in the place of `[[name]]`.
    ///   - language: the language of the page.
    ///   - name: a name of their own for how they escape; it is the process's.
    ///   - escape: makes a value harmless within a page.
    package init(
        _ sources: [(name: String, bytes: [UInt8])], words: [String: Phrase] = [:],
        in language: Language = .english, escapingNamed name: String,
        by escape: @escaping @Sendable (String) -> String = HTMLEscaping.escaped
    ) {
        MustacheContentTypes.register(ContentEscaper(escape: escape), named: name)
        var library = MustacheLibrary()
        for (template, bytes) in sources {
            // Each template says it by itself, because a part does not take it over from the whole.
            let text =
                "{{% CONTENT_TYPE:\(name)}}" + Self.worded(String(decoding: bytes, as: UTF8.self), words, language)
            do {
                try library.register(text, named: template)
            } catch {
                preconditionFailure("the template '\(template)' is broken: \(error)")
            }
        }
        self.library = library
    }

    private static func worded(_ source: String, _ words: [String: Phrase], _ language: Language) -> String {
        var text = ""
        var rest = source[...]
        while let open = rest.firstRange(of: "[["), let close = rest[open.upperBound...].firstRange(of: "]]") {
            let name = String(rest[open.upperBound..<close.lowerBound])
            guard let word = words[name] else { preconditionFailure("there is no text named '\(name)'") }
            text += rest[..<open.lowerBound] + language.say(word)
            rest = rest[close.upperBound...]
        }
        return text + rest
    }

    /// A template filled with a view's values; empty when there is no such template.
    package func render(_ template: String, _ view: Any) -> String {
        library.render(view, withTemplate: template) ?? ""
    }

    private struct ContentEscaper: MustacheContentType {
        let escape: @Sendable (String) -> String

        func escapeText(_ text: String) -> String { escape(text) }
    }
}
