internal import Base

extension TreeBuilder {
    mutating func addScalar(_ event: Event, textAt offset: Int) {
        guard admit(1, at: event) else { return }
        let isKey = isAtKey
        if isKey, top.isFlow { reportKeyMark(event) }
        var start = event.start
        var end = event.end
        var form = NodeForm.string
        if event.hasNames {
            form = formOfNamed(event, text[offset...], isKey: isKey, start: &start)
            if let anchor = declareAnchor(at: nodes.count, isComplete: true), form == .string, event.style == .plain,
                !isKey
            {
                anchors[anchor].unused = Document.UnusedAnchor(
                    name: names.anchor ?? "", range: range(event.start, start))
            }
        } else if event.style == .plain, !isKey, ScalarResolution.mayResolve(text, at: offset) {
            // A key is its text, whatever type it would have as a value.
            form = resolved(text[offset...], start, end)
        }
        if event.style == .block { end = cursor.endOfText(from: start, to: end) }
        let count = text.count - offset
        if count == 0, event.style == .plain, !event.hasNames {
            start = placeOfNothing(start)
            end = start
        }
        if isKey, count > 0, text[offset] >= 0x80, event.style == .plain, !top.isFlow {
            reportForeignSpace(text[offset...], event)
        }
        if isKey { addKey(first: offset, count: count, event) }
        nodes.append(NodeRecord(form, from: start, to: end, first: offset, count: count, next: nodes.count + 1))
        lastEnd = end
        finish(height: 0)
    }

    /// The place of a scalar that is not written: libyaml gives the next token when nothing came before.
    private func placeOfNothing(_ mark: Mark) -> Mark {
        if frames.isEmpty { return documentStart }
        return mark.column == 0 ? lastEnd : mark
    }

    private mutating func addKey(first: Int, count: Int, _ event: Event) {
        let isPlain = event.style == .plain && !(event.hasNames && names.tag != nil)
        let isMerge = isPlain && count == 2 && text[first...].equals("<<")
        keys.append(Key(node: nodes.count, first: first, count: count, role: isMerge ? .merge : .ordinary))
        if isMerge { top.hasSpecialKeys = true }
    }

    private mutating func resolved(_ value: ArraySlice<UInt8>, _ start: Mark, _ end: Mark) -> NodeForm {
        form(of: ScalarResolution(value), value, start, end)
    }

    private mutating func form(
        of resolution: ScalarResolution, _ value: ArraySlice<UInt8>, _ start: Mark, _ end: Mark
    ) -> NodeForm {
        switch resolution {
        case .null: return .null
        case .bool: return .bool
        case .integer: return .integer
        case .hugeInteger: return .hugeInteger
        case .float: return .float
        case .string: return .string
        case .notFinite:
            diagnostics.append(
                Diagnostic(
                    .error, .notANumber, "\(quoted(String(decoding: value, as: UTF8.self))) is not a finite number",
                    at: range(start, end),
                    help: "quote it if it is meant as text"))
            return .invalid
        }
    }

    private mutating func formOfNamed(
        _ event: Event, _ value: ArraySlice<UInt8>, isKey: Bool, start: inout Mark
    ) -> NodeForm {
        let properties = cursor.properties(from: event.start, to: event.end)
        start = properties.content ?? event.start
        reportAnchor(properties)
        guard let tag = names.tag else {
            return isKey || event.style != .plain ? .string : resolved(value, start, event.end)
        }
        guard let core = known(tag, event, properties) else { return .invalid }
        guard let resolution = core.form(of: value) else {
            let found = core == .seq || core == .map ? "a scalar" : quoted(String(decoding: value, as: UTF8.self))
            reportUnfit(tag, found, event, properties)
            return .invalid
        }
        return isKey ? .string : form(of: resolution, value, start, event.end)
    }

    /// Resolves a tag, or reports it.
    mutating func known(_ tag: String, _ event: Event, _ properties: SourceCursor.Properties) -> CoreTag? {
        if let core = CoreTag(tag) { return core }
        let name = quoted(CoreTag.spelling(tag))
        diagnostics.append(
            Diagnostic(
                .error, .unknownTag, "unknown tag \(name)", at: tagRange(event, properties),
                help:
                    "quote the text if '!' is part of it; the tags are !!str, !!int, !!float, !!bool, !!null, !!seq and !!map"
            ))
        return nil
    }

    mutating func reportUnfit(_ tag: String, _ found: String, _ event: Event, _ properties: SourceCursor.Properties) {
        let name = quoted(CoreTag.spelling(tag))
        diagnostics.append(
            Diagnostic(.error, .unknownTag, "tag \(name) does not fit \(found)", at: tagRange(event, properties)))
    }

    private func tagRange(_ event: Event, _ properties: SourceCursor.Properties) -> SourceRange {
        range(properties.tag ?? event.start, properties.tagEnd ?? event.end)
    }
}
