/// One step of the walk through a file's text, with its byte range.
package struct SourceStep: Sendable {
    /// The kinds of steps.
    package enum Kind: Hashable, Sendable {
        /// A document begins.
        case documentStart
        /// A document ends.
        case documentEnd
        /// A scalar.
        case scalar
        /// `*name`.
        case alias
        /// A mapping begins.
        case mappingStart
        /// A mapping ends.
        case mappingEnd
        /// A list begins.
        case sequenceStart
        /// A list ends.
        case sequenceEnd
    }

    /// The kind of step.
    package let kind: Kind
    /// True for a collection in brackets.
    package let isFlow: Bool
    /// True for a `|` or `>` scalar.
    package let isBlockScalar: Bool
    /// Its bytes in the file, anchor and tag included; the end of a block collection stands at the start of what
    /// follows it.
    package let range: Range<Int>
    /// Its meaning: the value of a scalar, and the anchor, alias and tag, resolved.
    package let content: Content

    /// The meaning of a step, independent of its layout.
    package struct Content: Hashable, Sendable {
        /// The kind of step.
        package let kind: Kind
        /// The scalar's text, quotes and escapes resolved.
        package let text: [UInt8]
        /// True for a plain scalar, which may be something other than a string.
        package let isPlain: Bool
        /// The name after `&` or `*`.
        package let anchor: String?
        /// The tag, its handle resolved.
        package let tag: String?
    }
}

extension DocumentParser {
    /// Walks through the text of a whole file, in which ``parse(_:file:)`` has found no errors; nil when it is not
    /// well-formed.
    package static func steps(through bytes: [UInt8]) -> [SourceStep]? {
        let source = SourceText(bytes, file: "")
        guard bytes.count > source.start else { return [] }
        var reader = EventReader(bytes[source.start...])
        let places = BytePlaces(bytes, from: source.start)
        var steps: [SourceStep] = []
        while true {
            var text: [UInt8] = []
            var names = EventNames()
            let event = reader.next(appendingTo: &text, naming: &names)
            switch event.kind {
            case .streamEnd: return steps
            case .failure: return nil
            default: break
            }
            guard let kind = SourceStep.Kind(event.kind) else { continue }
            steps.append(
                SourceStep(
                    kind: kind, isFlow: event.style == .flow, isBlockScalar: kind == .scalar && event.style == .block,
                    range: places[event.start]..<max(places[event.start], places[event.end]),
                    content: SourceStep.Content(
                        kind: kind, text: text, isPlain: kind == .scalar && event.style == .plain,
                        anchor: event.hasNames ? names.anchor : nil, tag: event.hasNames ? names.tag : nil)))
        }
    }
}

extension SourceStep.Kind {
    fileprivate init?(_ kind: Event.Kind) {
        switch kind {
        case .documentStart: self = .documentStart
        case .documentEnd: self = .documentEnd
        case .scalar: self = .scalar
        case .alias: self = .alias
        case .mappingStart: self = .mappingStart
        case .mappingEnd: self = .mappingEnd
        case .sequenceStart: self = .sequenceStart
        case .sequenceEnd: self = .sequenceEnd
        case .streamStart, .streamEnd, .failure: return nil
        }
    }
}

/// The byte offset of each character of a text.
private struct BytePlaces {
    private let starts: [UInt32]
    private let end: Int

    init(_ bytes: [UInt8], from start: Int) {
        // A file is at most 1 MiB, so every offset fits.
        starts = bytes.indices[start...].filter { bytes[$0] & 0xC0 != 0x80 }.map { UInt32(truncatingIfNeeded: $0) }
        end = bytes.count
    }

    /// The byte offset of a mark; the end for a mark past it.
    subscript(mark: Mark) -> Int {
        let index = Int(mark.index)
        return index < starts.count ? Int(starts[index]) : end
    }
}
