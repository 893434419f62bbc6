internal import Base

/// The names that the files declare for one kind, readable or not.
struct DeclaredNames {
    let kind: DocumentKind
    private var first: [String: Origin] = [:]
    /// Created when the first missing name is found, after all names were added.
    private lazy var suggestions = NameSuggestions(first.keys.sorted())

    init(_ kind: DocumentKind) { self.kind = kind }

    /// Makes room for names: growing a large table step by step moves each name several times.
    mutating func reserveCapacity(_ count: Int) { first.reserveCapacity(count) }

    /// Adds a name and returns its earlier declaration, if any. A missing name is ignored.
    mutating func add(_ declaration: Declaration) -> Origin? {
        guard !declaration.name.isEmpty else { return nil }
        if let other = first[declaration.name] { return other }
        first[declaration.name] = declaration.origin
        return nil
    }

    /// The place of a name's declaration.
    subscript(name: String) -> Origin? { first[name] }

    /// True when a document declares the name.
    func contains(_ name: String) -> Bool { first.keys.contains(name) }

    /// The message and help for a reference to an undeclared name.
    mutating func missing(_ name: String) -> (message: String, help: String?) {
        let ending = suggestions.ending(for: name)
        return (
            "\(kind.word) \(quoted(name)) is not declared\(ending)",
            ending.isEmpty ? "declare it in a document with kind: \(kind.rawValue) and name: \(name)" : nil
        )
    }
}

/// Suggestions for undeclared names, as long as they are cheap to find: a thousand references to a thousand names would
/// be a million comparisons.
struct NameSuggestions {
    private let names: [String]
    /// The number of comparisons left.
    private var comparisons = 20_000

    init(_ names: [String]) { self.names = names }

    /// The end of a message: `; did you mean 'x'?`, or nothing.
    mutating func ending(for name: String) -> String {
        guard comparisons > 0 else { return "" }
        comparisons -= names.count
        let near = Suggestion.ending(for: name, among: names)
        guard near.isEmpty, !name.isEmpty else { return near }
        // The city of a time zone.
        let end = "/" + name.lowercased().replacing(" ", with: "_")
        return names.first { $0.lowercased().hasSuffix(end) }.map { "; did you mean \(quoted($0))?" } ?? ""
    }
}

extension Diagnostic {
    /// The diagnostic for a second declaration of a name.
    static func alreadyDeclared(_ second: Declaration, first: Origin) -> Diagnostic {
        let place = first.range(of: ["name"])
        let name = "\(second.kind.word) \(quoted(second.name))"
        return Diagnostic(
            .error, .duplicateName, "\(name) is already declared in \(place.shortText)",
            at: second.origin.range(of: ["name"]), related: [RelatedPlace("the first", at: place)])
    }
}

extension SourceRange {
    /// `file:line:column`.
    var shortText: String { "\(file):\(start.line):\(start.column)" }
}
