internal import Diagnostics
internal import PushModel

/// The names of one kind that the files declare, readable or not.
struct DeclaredNames {
    let kind: DocumentKind
    private var first: [String: Declaration] = [:]

    init(_ kind: DocumentKind) { self.kind = kind }

    /// Adds a name; gives the declaration that bears it already, if any. A missing name is none.
    mutating func add(_ declaration: Declaration) -> Declaration? {
        guard !declaration.name.isEmpty else { return nil }
        if let other = first[declaration.name] { return other }
        first[declaration.name] = declaration
        return nil
    }

    subscript(name: String) -> Declaration? { first[name] }

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
    static func alreadyDeclared(_ second: Declaration, first: Declaration) -> Diagnostic {
        let place = first.origin.range(of: ["name"])
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
