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
        } else if event.style == .plain, !isKey, NodeForm.mayResolve(text, at: offset) {
            // A key is its text, whatever type it would have as a value.
            form = checked(NodeForm(text[offset...]), text[offset...], start, end)
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

    /// The form of a value; a number that is not finite is reported.
    private mutating func checked(
        _ form: NodeForm, _ value: ArraySlice<UInt8>, _ start: Mark, _ end: Mark
    ) -> NodeForm {
        if form == .invalid {
            report(
                .notANumber, "\(quoted(String(decoding: value, as: UTF8.self))) is not a finite number",
                at: range(start, end), help: "quote it if it is meant as text")
        }
        return form
    }

    private mutating func formOfNamed(
        _ event: Event, _ value: ArraySlice<UInt8>, isKey: Bool, start: inout Mark
    ) -> NodeForm {
        let properties = cursor.properties(from: event.start, to: event.end)
        start = properties.content ?? event.start
        reportAnchor(properties)
        guard let tag = names.tag else {
            return isKey || event.style != .plain ? .string : checked(NodeForm(value), value, start, event.end)
        }
        guard let core = known(tag, event, properties) else { return .invalid }
        guard let form = core.form(of: value) else {
            let found = core == .seq || core == .map ? "a scalar" : quoted(String(decoding: value, as: UTF8.self))
            reportUnfit(tag, found, event, properties)
            return .invalid
        }
        return isKey ? .string : checked(form, value, start, event.end)
    }

    /// Resolves a tag, or reports it.
    mutating func known(_ tag: String, _ event: Event, _ properties: SourceCursor.Properties) -> CoreTag? {
        if let core = CoreTag(tag) { return core }
        report(
            .unknownTag, "unknown tag \(quoted(CoreTag.spelling(tag)))", at: tagRange(event, properties),
            help:
                "quote the text if '!' is part of it; the tags are !!str, !!int, !!float, !!bool, !!null, !!seq and !!map"
        )
        return nil
    }

    mutating func reportUnfit(_ tag: String, _ found: String, _ event: Event, _ properties: SourceCursor.Properties) {
        let name = quoted(CoreTag.spelling(tag))
        report(.unknownTag, "tag \(name) does not fit \(found)", at: tagRange(event, properties))
    }

    private func tagRange(_ event: Event, _ properties: SourceCursor.Properties) -> SourceRange {
        range(properties.tag ?? event.start, properties.tagEnd ?? event.end)
    }
}

// MARK: - Collections

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
            if nodes[anchor.node].form != .invalid { (record.form, record.first) = (.alias, anchor.node) }
        } else {
            let alias = quoted("*" + name)
            let fault = anchor == nil ? "has no anchor before it" : "is inside its own anchor"
            report(
                .unknownAlias, "alias \(alias) \(fault)", at: range(event.start, event.end),
                help: anchor == nil ? "quote the text if '*' is part of it" : nil)
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
        if let message { report(.wrongType, message, at: range(start, start)) }
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

// MARK: - Mappings

extension TreeBuilder {
    /// Reports equal keys, and writes the entry table of a mapping that needs one.
    mutating func closeMapping(_ frame: Frame) {
        let range = frame.firstKey..<keys.count
        let hasDuplicates = range.count <= 16 ? findDuplicatesAmongFew(range) : findDuplicatesAmongMany(range)
        if frame.hasSpecialKeys || hasDuplicates { writeEntries(frame.node, range) }
        keys.removeLast(range.count)
    }

    private mutating func findDuplicatesAmongFew(_ range: Range<Int>) -> Bool {
        var found = false
        for second in range.dropFirst() {
            for first in range.lowerBound..<second where areEqual(first, second) {
                reportDuplicate(second, first)
                found = true
                break
            }
        }
        return found
    }

    /// Sorts, so that a mapping with many keys does not take quadratic time.
    private mutating func findDuplicatesAmongMany(_ range: Range<Int>) -> Bool {
        let order = range.filter { keys[$0].role != .leftOut }.sorted { left, right in
            let (one, other) = (bytes(of: keys[left]), bytes(of: keys[right]))
            if one.lexicographicallyPrecedes(other) { return true }
            if other.lexicographicallyPrecedes(one) { return false }
            let isMerge = (keys[left].role == .merge, keys[right].role == .merge)
            return isMerge.0 == isMerge.1 ? left < right : isMerge.0
        }
        var duplicates: [(second: Int, first: Int)] = []
        var first = range.lowerBound
        for (place, key) in order.enumerated() {
            if place > 0, areEqual(first, key) {
                duplicates.append((key, first))
            } else {
                first = key
            }
        }
        for pair in duplicates.sorted(by: { $0.second < $1.second }) { reportDuplicate(pair.second, pair.first) }
        return !duplicates.isEmpty
    }

    private func bytes(of key: Key) -> ArraySlice<UInt8> { text[key.first..<key.first + key.count] }

    private func areEqual(_ left: Int, _ right: Int) -> Bool {
        let (one, other) = (keys[left], keys[right])
        guard one.count == other.count, one.role == other.role, one.role != .leftOut else { return false }
        for offset in 0..<one.count where text[one.first + offset] != text[other.first + offset] { return false }
        return true
    }

    private mutating func reportDuplicate(_ second: Int, _ first: Int) {
        let name = quoted(String(decoding: bytes(of: keys[second]), as: UTF8.self))
        diagnostics.append(
            Diagnostic(
                .error, .duplicateKey, "duplicate key \(name)", at: range(ofNode: keys[second].node),
                // The first key of the document.
                help: first == 0 ? "if a second document begins here, put a line '---' above it" : nil,
                related: [RelatedPlace("first here", at: range(ofNode: keys[first].node))]))
        keys[second].role = .leftOut
    }
}

extension TreeBuilder {
    /// Writes the effective entries: the mapping's own keys, and those merged by `<<`, each at its place.
    private mutating func writeEntries(_ node: Int, _ range: Range<Int>) {
        var seen = Set<ArraySlice<UInt8>>()
        for key in keys[range] where key.role == .ordinary { seen.insert(bytes(of: key)) }
        var table: [EntryRecord] = []
        for key in keys[range] {
            let value = nodes[key.node].next
            switch key.role {
            case .ordinary: table.append(EntryRecord(key: UInt32(key.node), value: UInt32(value)))
            case .merge: merge(value, into: &table, except: &seen)
            case .leftOut: break
            }
        }
        nodes[node].hasEntryTable = true
        nodes[node].first = entries.count
        nodes[node].count = table.count
        entries += table
    }

    private mutating func merge(
        _ value: Int, into table: inout [EntryRecord], except seen: inout Set<ArraySlice<UInt8>>
    ) {
        let target = nodes.followingAlias(value)
        guard nodes[target].form == .sequence else {
            mergeOne(value, into: &table, except: &seen)
            return
        }
        var element = target + 1
        while element < nodes[target].next {
            mergeOne(element, into: &table, except: &seen)
            element = nodes[element].next
        }
    }

    private mutating func mergeOne(
        _ value: Int, into table: inout [EntryRecord], except seen: inout Set<ArraySlice<UInt8>>
    ) {
        let target = nodes.followingAlias(value)
        guard nodes[target].form == .mapping else {
            guard nodes[target].form != .invalid else { return }
            let found = nodes[target].form.description
            report(
                .invalidMerge, "'<<' needs a mapping or a sequence of mappings, but found \(found)",
                at: range(ofNode: value))
            return
        }
        var position = EntryPosition(of: target, in: nodes)
        while let entry = position.next(nodes, entries) {
            let key = nodes[nodes.followingAlias(entry.key)]
            guard seen.insert(text[key.textRange]).inserted else { continue }
            table.append(EntryRecord(key: UInt32(entry.key), value: UInt32(entry.value)))
        }
    }
}
