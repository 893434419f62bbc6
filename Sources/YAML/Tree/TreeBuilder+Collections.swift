internal import Base

extension TreeBuilder {
    mutating func open(_ event: Event, isMapping: Bool) {
        guard admit(1, at: event) else { return }
        guard frames.count < Limits.depth else {
            stop("collections are nested more than 64 deep", at: event)
            return
        }
        var start = event.start
        if event.hasNames {
            let properties = cursor.properties(from: event.start, to: event.end)
            // A collection with nothing left to read between the marks: the first key or dash begins at the event's
            // end.
            start = properties.content ?? event.end
            reportAnchor(properties)
            if let tag = names.tag, let core = known(tag, event, properties),
                core != .nonSpecific, core != (isMapping ? .map : .seq)
            {
                reportUnfit(tag, isMapping ? "a mapping" : "a sequence", event, properties)
            }
        }
        let isKey = isAtKey
        if isKey, isMapping, event.style == .flow, top.isFlow, top.children == 0,
            cursor.byte(before: event.start) == UInt8(ascii: "{")
        {
            return reportBraces()
        }
        if isKey { leaveOutKey("a key must be a string, but found \(isMapping ? "a mapping" : "a sequence")", start) }
        let node = nodes.count
        nodes.append(NodeRecord(isMapping ? .mapping : .sequence, from: start, to: event.end, next: node + 1))
        frames.append(top)
        top = Frame(
            node: node, isMapping: isMapping, isFlow: event.style == .flow, firstKey: keys.count,
            expandedBefore: expanded - 1)
        if event.hasNames { top.anchor = declareAnchor(at: node, isComplete: false) }
    }

    mutating func close(_ event: Event) {
        guard let outer = frames.popLast() else { return }
        let frame = top
        top = outer
        if frame.isFlow { lastEnd = event.end }
        let count = frame.isMapping ? frame.children / 2 : frame.children
        nodes[frame.node].close(at: lastEnd, count: count, next: nodes.count)
        if frame.isMapping { closeMapping(frame) }
        if let anchor = frame.anchor {
            anchors[anchor].size = expanded - frame.expandedBefore
            anchors[anchor].height = frame.height
            anchors[anchor].isComplete = true
        }
        finish(height: frame.height)
    }

    mutating func addAlias(_ event: Event) {
        let name = names.anchor ?? ""
        let place = anchorNames[name]
        if let place { anchors[place].unused = nil }
        let anchor = place.map { anchors[$0] }
        let isComplete = anchor?.isComplete ?? false
        guard admit(isComplete ? anchor?.size ?? 1 : 1, at: event) else { return }
        let height = isComplete ? anchor?.height ?? 0 : 0
        guard frames.count + height <= Limits.depth else {
            stop("collections are nested more than 64 deep with all aliases expanded", at: event)
            return
        }
        var record = NodeRecord(.invalid, from: event.start, to: event.end, next: nodes.count + 1)
        if let anchor, isComplete {
            // An alias of an invalid node, which is reported already, stays invalid.
            if nodes[anchor.node].form != .invalid { record.form = .alias }
            record.first = anchor.node
        } else {
            let alias = quoted("*" + name)
            let fault = anchor == nil ? "has no anchor before it" : "is inside its own anchor"
            diagnostics.append(
                Diagnostic(
                    .error, .unknownAlias, "alias \(alias) \(fault)", at: range(event.start, event.end),
                    help: anchor == nil ? "quote the text if '*' is part of it" : nil))
        }
        if isAtKey { addAliasKey(record, event.start) }
        nodes.append(record)
        lastEnd = event.end
        finish(height: height)
    }

    private mutating func addAliasKey(_ record: NodeRecord, _ start: Mark) {
        guard record.form == .alias else { return leaveOutKey(nil, start) }
        let target = nodes[record.first]
        switch target.form {
        case .mapping: leaveOutKey("a key must be a string, but found a mapping", start)
        case .sequence: leaveOutKey("a key must be a string, but found a sequence", start)
        case .invalid, .alias: leaveOutKey(nil, start)
        case .null, .bool, .integer, .hugeInteger, .float, .string:
            keys.append(Key(node: nodes.count, first: target.first, count: target.count, role: .ordinary))
        }
    }

    /// Records a key that is invalid, so that its entry is left out.
    private mutating func leaveOutKey(_ message: String?, _ start: Mark) {
        keys.append(Key(node: nodes.count, first: 0, count: 0, role: .leftOut))
        top.hasSpecialKeys = true
        guard let message else { return }
        diagnostics.append(Diagnostic(.error, .wrongType, message, at: range(start, start)))
    }

    /// Declares the anchor of the current event for a node; scalars are complete at once.
    @discardableResult
    mutating func declareAnchor(at node: Int, isComplete: Bool) -> Int? {
        guard let name = names.anchor else { return nil }
        anchorNames[name] = anchors.count
        anchors.append(Anchor(node: node, isComplete: isComplete))
        return anchors.count - 1
    }
}
