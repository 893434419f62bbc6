package import Base

/// One YAML document of a file: a tree whose nodes know their place.
package final class Document: Sendable, FieldLocating {
    /// The file's name, as given to the parser.
    package let file: String
    let nodes: [NodeRecord]
    let text: [UInt8]
    let entries: [EntryRecord]
    /// The anchors of unquoted texts that no alias refers to, such as `&Giants` of `&Giants won`.
    package let unusedAnchors: [UnusedAnchor]
    /// The documents that the nodes come from; empty for one that was read as it is.
    let layers: [DocumentLayer]
    /// The layer of each node; empty where there are none.
    let layerOfNode: [UInt32]
    /// The layers that are parts, in the order of their places.
    let partsByPlace: [Int]

    /// The name of a text that nothing refers to by it.
    package struct UnusedAnchor: Sendable {
        /// The name, without `&`.
        package let name: String
        /// The place from the `&` to the text.
        package let range: SourceRange
    }

    init(
        file: String, nodes: [NodeRecord], text: [UInt8], entries: [EntryRecord] = [],
        unusedAnchors: [UnusedAnchor] = [], layers: [DocumentLayer] = [], layerOfNode: [UInt32] = []
    ) {
        self.unusedAnchors = unusedAnchors
        self.layers = layers
        self.layerOfNode = layerOfNode
        partsByPlace = layers.indices.filter { layers[$0].part != nil }
            .sorted { layers[$0].root.range < layers[$1].root.range }
        self.file = file
        self.nodes = nodes
        self.text = text
        self.entries = entries
    }

    /// The root node; null for a document that consists of `---` only.
    package var root: Node { Node(self, at: 0) }

    /// The range of the value at `path`, or of its nearest existing ancestor.
    package func range(of path: [FieldPathElement]) -> SourceRange {
        var node = root
        for element in path {
            guard let inner = node[element] else { break }
            node = inner
        }
        return node.range
    }
}

/// Reads YAML files into located trees.
package enum DocumentParser {
    /// Reads every document of one file.
    ///
    /// Nothing is thrown: errors are collected. A file that is not clean UTF-8 gives no documents. A syntax error or an
    /// exceeded limit ends the reading there and keeps the documents before it. After any other error (duplicate keys,
    /// tags, aliases, merges, `.inf`) reading goes on and the document is kept: the affected values are left out, or
    /// are ``Scalar/invalid``.
    ///
    /// Reading is pure: any number of threads may read at once.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - file: Its name in diagnostics.
    /// - Returns: The documents that were kept, and the errors.
    package static func parse(_ bytes: [UInt8], file: String) -> (documents: [Document], diagnostics: [Diagnostic]) {
        let source = SourceText(bytes, file: file)
        let faults = source.faults()
        guard faults.isEmpty, bytes.count > source.start else { return ([], faults) }
        var reader = EventReader(bytes[source.start...])
        var builder = TreeBuilder(source)
        while !builder.isFinished {
            let offset = builder.text.count
            let event = reader.next(appendingTo: &builder.text, naming: &builder.names)
            builder.add(event, textAt: offset)
            if event.kind == .failure { builder.report(reader.problem) }
        }
        return (builder.documents, builder.diagnostics)
    }
}

/// The limits on one file.
package enum Limits {
    /// Bytes of one file: 1 MiB. A caller may check it before reading the file.
    package static let bytes = 1 << 20
    /// Nodes of one file, with every alias counted as the nodes it refers to.
    package static let nodes = 100_000
    /// Nesting depth of collections, aliases followed.
    package static let depth = 64
    /// `%TAG` lines of one file; libyaml compares each with all before it.
    static let tagDirectives = 100
    /// Invalid characters reported one by one before the rest of the file is considered not to be text.
    static let characterReports = 100
}

/// One value of a document, with its place.
///
/// A light reference to the document's storage. An alias has the value it refers to, at the place of the alias.
package struct Node: Sendable {
    /// The document it belongs to.
    package let document: Document
    private let place: UInt32
    private let target: UInt32

    init(_ document: Document, at place: Int) {
        self.document = document
        self.place = UInt32(truncatingIfNeeded: place)
        target = UInt32(truncatingIfNeeded: document.nodes.followingAlias(place))
    }

    /// The record of the value, an alias followed.
    var record: NodeRecord { document.nodes[Int(target)] }
    var index: Int { Int(target) }

    /// The three kinds of YAML nodes.
    package enum Kind: Hashable, Sendable {
        case scalar
        case sequence
        /// Entries of a key and a value.
        case mapping
    }

    package var kind: Kind {
        switch record.form {
        case .mapping: .mapping
        case .sequence: .sequence
        case .null, .bool, .integer, .hugeInteger, .float, .string, .invalid, .alias: .scalar
        }
    }

    /// The range of the value: without its anchor and tag, and without the line breaks after a block scalar.
    ///
    /// A value that is not written (`key:`) stands after its key's colon.
    package var range: SourceRange {
        document.nodes[Int(place)].range(
            in: document.layers.isEmpty
                ? document.file : document.layers[Int(document.layerOfNode[Int(place)])].root.document.file)
    }

    /// The record of the value as it is written here, with an alias's own place.
    var written: NodeRecord { document.nodes[Int(place)] }

    /// The type in words for a message: `a mapping`, `a string`, `an integer`, `null`.
    package var typeDescription: String { record.form.description }

    /// True if a diagnostic has already reported that this value is invalid (an unknown alias or tag, `.inf`).
    ///
    /// Such a value needs no second diagnostic.
    package var isInvalid: Bool { record.form == .invalid }

    /// True for a string, quoted or not.
    package var isString: Bool { record.form == .string }

    /// True for null.
    package var isNull: Bool { record.form == .null }

    /// The value under a key or at an index; nil when there is none.
    package subscript(element: FieldPathElement) -> Node? {
        switch element {
        case .key(let key): self[key]
        case .index(let index): self[index]
        }
    }
}

// MARK: - Collections

extension Node {
    /// One entry of a mapping.
    package struct Entry: Sendable {
        /// The key, at its own place even when `<<` merged it in.
        package var key: Node
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

// MARK: - Scalars

/// A scalar's value by the core schema of YAML 1.2.
package enum Scalar: Hashable, Sendable {
    /// `null`, `Null`, `NULL`, `~`, or nothing at all.
    case null
    /// `true`, `True`, `TRUE`, `false`, `False`, `FALSE`, and nothing else.
    case bool(Bool)
    /// Decimal, `0o17` or `0x1f`; `010` is ten.
    case integer(Int64)
    /// An integer that does not fit 64 bits, as written.
    case hugeInteger(String)
    /// A number with a fraction or an exponent, always finite.
    case float(Double)
    /// Everything else, and everything in quotes or in a block.
    case string(String)
    /// No value; a diagnostic has been issued.
    case invalid
}

extension Node {
    /// The value of a scalar; nil for a collection.
    package var scalar: Scalar? {
        guard let bytes = utf8 else { return nil }
        switch record.form {
        case .sequence, .mapping, .alias: return nil
        case .null: return .null
        case .bool: return .bool(bytes.first == UInt8(ascii: "t") || bytes.first == UInt8(ascii: "T"))
        case .integer: return NodeForm.integer(bytes).map(Scalar.integer) ?? .invalid
        case .hugeInteger: return .hugeInteger(String(decoding: bytes, as: UTF8.self))
        case .float: return NodeForm.double(bytes).map(Scalar.float) ?? .invalid
        case .string: return .string(String(decoding: bytes, as: UTF8.self))
        case .invalid: return .invalid
        }
    }

    /// The text of a scalar, quotes and escapes resolved, whatever its type; a key's name.
    package var text: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

    /// The text of a scalar that is a string; nil for an unquoted number, Boolean or null.
    package var string: String? { record.form == .string ? text : nil }

    /// True for a scalar whose text is `text`, byte for byte; creates no string.
    package func hasText(_ text: String) -> Bool { utf8?.elementsEqual(text.utf8) ?? false }

    /// The UTF-8 bytes of a scalar's text, whatever its type; nil for a collection. Creates no string.
    package var utf8: ArraySlice<UInt8>? {
        let record = record
        // The record is never that of an alias, which was followed.
        return record.form == .sequence || record.form == .mapping ? nil : document.text[record.textRange]
    }
}

// MARK: - JSON

extension Node {
    /// The value as JSON, with scalars, aliases and merges resolved.
    ///
    /// Invalid values, which have been reported already, become null. An integer beyond 64 bits becomes null and is
    /// reported here, code `invalid-value`.
    package func json(reportingTo diagnostics: inout [Diagnostic]) -> JSONValue {
        switch kind {
        case .sequence: return .array(elements.map { $0.json(reportingTo: &diagnostics) })
        case .mapping:
            var members: JSONObject = [:]
            for entry in entries { members[entry.key.text ?? ""] = entry.value.json(reportingTo: &diagnostics) }
            return .object(members)
        case .scalar: break
        }
        switch scalar {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .float(let value): return .number(value)
        case .string(let value): return .string(value)
        case .hugeInteger(let text):
            diagnostics.append(
                Diagnostic(
                    .error, .invalidValue, "integer \(quoted(text)) does not fit 64 bits", at: range,
                    help: "quote it if it is meant as text"))
            return .null
        case .null, .invalid, nil: return .null
        }
    }
}
