internal import Diagnostics

extension TreeBuilder {
    /// Reports what libyaml could not read; what it was in the middle of is said too when that began elsewhere.
    mutating func report(_ problem: EventReader.Problem) {
        let place = clamped(problem.mark)
        var diagnostic = Diagnostic(.error, .yamlSyntax, problem.message, at: range(place, place))
        let contextPlace = clamped(problem.contextMark)
        if let context = problem.context, contextPlace != place {
            diagnostic.related = [Diagnostic.Related(context, at: range(contextPlace, contextPlace))]
        }
        diagnostics.append(diagnostic)
    }

    /// Reports a key whose `?` libyaml took for the mark of a key: in YAML it is one only before a space.
    mutating func reportKeyMark(_ event: Event) {
        guard cursor.byte(before: event.start) == UInt8(ascii: "?") else { return }
        diagnostics.append(
            Diagnostic(
                .error, .yamlSyntax, "'?' before a key needs a space after it", at: range(event.start, event.end),
                help: "quote the key if '?' is part of it"))
    }

    /// Reports an anchor of whose name libyaml took only the beginning, and the rest for something else.
    mutating func reportAnchor(_ properties: SourceCursor.Properties) {
        guard let name = names.anchor, let start = properties.anchor, let end = properties.anchorEnd,
            end.index - start.index != name.utf8.count + 1
        else { return }
        diagnostics.append(
            Diagnostic(
                .error, .yamlSyntax, "an anchor's name has letters, digits, '-' and '_' only", at: range(start, end)))
    }

    /// libyaml ends a text without a final line break as if it had one; an editor has no such line.
    private func clamped(_ mark: Mark) -> Mark {
        var end = Mark()
        var previous: UInt8 = 0
        for byte in source.bytes[source.start...] {
            if byte == 0x0D || byte == 0x0A && previous != 0x0D {
                end.line += 1
                end.column = 0
            } else if byte & 0xC0 != 0x80, byte != 0x0A {
                end.column += 1
            }
            previous = byte
        }
        return mark.line > end.line ? end : mark
    }
}
