extension Node {
    /// One entry of a mapping.
    package struct Entry: Sendable {
        /// The key, at its own place even when `<<` merged it in.
        package var key: Node
        /// The value.
        package var value: Node
    }

    /// The entries of a mapping, in order.
    package struct Entries: Sequence, IteratorProtocol, Sendable {
        private let document: Document
        private var position: EntryPosition

        init(_ node: Node) {
            document = node.document
            position = EntryPosition(of: node.index, in: node.document.nodes)
        }

        /// The next entry, in the order of the file.
        package mutating func next() -> Entry? {
            position.next(document.nodes, document.entries).map {
                Entry(key: Node(document, at: $0.key), value: Node(document, at: $0.value))
            }
        }
    }

    /// The elements of a sequence, in order.
    package struct Elements: Sequence, IteratorProtocol, Sendable {
        private let document: Document
        private var place: Int
        private let end: Int

        init(_ node: Node) {
            document = node.document
            place = node.index + 1
            end = node.kind == .sequence ? node.record.next : place
        }

        /// The next element, in the order of the file.
        package mutating func next() -> Node? {
            guard place < end else { return nil }
            defer { place = document.nodes[place].next }
            return Node(document, at: place)
        }
    }

    /// The number of elements or entries; 0 for a scalar.
    package var count: Int { kind == .scalar ? 0 : record.count }

    /// The elements in the order of the file; none unless this is a sequence.
    package var elements: Elements { Elements(self) }

    /// The entries in the order of the file; none unless this is a mapping.
    ///
    /// Every key is a scalar and occurs once: the second of two equal keys, and a key that is a collection, are left
    /// out and reported. Entries merged by `<<` stand at the place of the `<<`; the mapping's own keys win over them.
    package var entries: Entries { Entries(self) }

    /// The element at `index`, from 0; nil past the end. Takes time in proportion to `index` when elements are
    /// collections.
    package subscript(index: Int) -> Node? {
        guard index >= 0, index < count else { return nil }
        // Elements that are not collections are stored one after the other.
        let first = self.index + 1
        if kind == .sequence, record.next == first + count { return Node(document, at: first + index) }
        return elements.dropFirst(index).first { _ in true }
    }

    /// The value under `key`, compared byte for byte; nil when there is none. Creates no string.
    package subscript(key: String) -> Node? { entry(named: key)?.value }

    /// The entry under `key`, compared byte for byte; nil when there is none. Creates no string.
    package func entry(named key: String) -> Entry? {
        var position = EntryPosition(of: index, in: document.nodes)
        while let entry = position.next(document.nodes, document.entries) {
            let name = document.nodes[document.nodes.followingAlias(entry.key)].textRange
            if name.count == key.utf8.count, document.text[name].elementsEqual(key.utf8) {
                return Entry(key: Node(document, at: entry.key), value: Node(document, at: entry.value))
            }
        }
        return nil
    }
}
