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
