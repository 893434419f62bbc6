internal import Diagnostics
internal import PushModel

/// The names of one kind that the files declare, readable or not.
struct DeclaredNames {
    let kind: DocumentKind
    private var first: [String: Origin] = [:]
    /// Made when the first name is missing, after all were added.
    private lazy var suggestions = NameSuggestions(first.keys.sorted())

    init(_ kind: DocumentKind) { self.kind = kind }

    /// Adds a name; gives the place where it is declared already, if any. A missing name is none.
    mutating func add(_ declaration: Declaration) -> Origin? {
        guard !declaration.name.isEmpty else { return nil }
        if let other = first[declaration.name] { return other }
        first[declaration.name] = declaration.origin
        return nil
    }

    /// All of them.
    var all: Set<String> { Set(first.keys) }

    /// Where the name is declared.
    subscript(name: String) -> Origin? { first[name] }

    /// Whether a document declares the name.
    func contains(_ name: String) -> Bool { first[name] != nil }

    /// What a reference to an undeclared name is told.
    mutating func missing(_ name: String) -> (message: String, help: String?) {
        let ending = suggestions.ending(for: name)
        return (
            "\(kind.word) \(quoted(name)) is not declared\(ending)",
            ending.isEmpty ? "declare it in a document with kind: \(kind.rawValue) and name: \(name)" : nil
        )
    }
}

/// What undeclared names probably meant, as long as it is found out soon: a thousand references to a thousand names
/// would be a million comparisons.
struct NameSuggestions {
    private let names: [String]
    /// How many names may be looked at yet.
    private var comparisons = 20_000

    init(_ names: [String]) { self.names = names }

    /// `; did you mean 'x'?`, or nothing.
    mutating func ending(for name: String) -> String {
        guard comparisons > 0 else { return "" }
        comparisons -= names.count
        return Suggestion.ending(for: name, among: names)
    }
}

extension Diagnostic {
    /// A second declaration of a name.
    static func alreadyDeclared(_ second: Declaration, first: Origin) -> Diagnostic {
        let place = first.range(of: ["name"])
        let name = "\(second.kind.word) \(quoted(second.name))"
        return Diagnostic(
            .error, .duplicateName, "\(name) is already declared in \(place.shortText)",
            at: second.origin.range(of: ["name"]), related: [Related("the first", at: place)])
    }
}

extension SourceRange {
    /// `file:line:column`.
    var shortText: String { "\(file):\(start.line):\(start.column)" }
}
