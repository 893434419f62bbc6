internal import Base

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
            diagnostics.append(
                Diagnostic(
                    .error, .invalidMerge, "'<<' needs a mapping or a sequence of mappings, but found \(found)",
                    at: range(ofNode: value)))
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
