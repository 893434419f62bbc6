internal import Base

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

    /// Ends the reading at an unquoted text that begins with `{{`, which is a mapping in a key to YAML.
    mutating func reportBraces() {
        let start = range(ofNode: top.node).start
        diagnostics.append(
            Diagnostic(
                .error, .yamlSyntax, "a text that begins with '{{' must be quoted",
                at: SourceRange(file: source.file, start: start), help: SyntaxFault.quoting,
                mend: TextQuoting.mend(source.lines(), at: start.line, file: source.file)))
        isFinished = true
    }

    /// Ends the reading at a key behind a space that only looks like indentation.
    mutating func reportForeignSpace(_ key: ArraySlice<UInt8>, _ event: Event) {
        guard let space = String(decoding: key.prefix(4), as: UTF8.self).unicodeScalars.first, space.isForeignSpace
        else { return }
        diagnostics.append(
            Diagnostic(
                .error, .yamlSyntax, "\(space.codePoint) cannot indent a line", at: range(event.start, event.start),
                help: "use spaces, two for each level"))
        isFinished = true
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
