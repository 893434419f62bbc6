internal import Diagnostics
internal import PushModel

/// The names of one kind that the files declare, readable or not.
struct DeclaredNames {
    let kind: DocumentKind
    private var first: [String: Origin] = [:]

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
    func missing(_ name: String) -> String {
        let ending = Suggestion.ending(for: name, among: first.keys.sorted())
        return "\(kind.word) \(quoted(name)) is not declared\(ending)"
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
