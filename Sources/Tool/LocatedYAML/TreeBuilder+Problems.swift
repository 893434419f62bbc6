internal import Diagnostics

extension TreeBuilder {
    /// Reports a syntax error of libyaml.
    mutating func report(_ problem: EventReader.Problem) {
        let previous = nodes.isEmpty ? nil : range(ofNode: nodes.count - 1)
        diagnostics.append(SyntaxFault(problem, after: previous, in: source).diagnostic)
    }

    /// Reports a key whose `?` libyaml took for a key indicator: in YAML it is one only before a space.
    mutating func reportKeyMark(_ event: Event) {
        guard hasQuestionMark, cursor.byte(before: event.start) == UInt8(ascii: "?") else { return }
        diagnostics.append(
            Diagnostic(
                .error, .yamlSyntax, "'?' before a key needs a space after it", at: range(event.start, event.end),
                help: "quote the key if '?' is part of it"))
    }

    /// Reports an anchor whose name libyaml read only in part.
    mutating func reportAnchor(_ properties: SourceCursor.Properties) {
        guard let name = names.anchor, let start = properties.anchor, let end = properties.anchorEnd,
            end.index - start.index != name.utf8.count + 1
        else { return }
        diagnostics.append(
            Diagnostic(
                .error, .yamlSyntax, "an anchor's name has letters, digits, '-' and '_' only", at: range(start, end)))
    }
}
