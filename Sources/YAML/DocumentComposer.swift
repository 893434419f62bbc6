package import Base

/// A mapping that a composed document has nodes of.
package struct DocumentLayer: Sendable {
    /// The mapping.
    package let root: Node
    /// The name of the part that it is; nil for the document's own.
    package let part: String?
    /// Where the part is used.
    package let use: SourceRange

    package init(_ root: Node, part: String? = nil, use: SourceRange? = nil) {
        self.root = root
        self.part = part
        self.use = use ?? root.range
    }
}

extension Document {
    package func places(behind range: SourceRange) -> [RelatedPlace] {
        // The last part that begins before it: parts do not overlap.
        var (low, high) = (0, partsByPlace.count)
        while low < high {
            let middle = (low + high) / 2
            let start = layers[partsByPlace[middle]].root.range
            if (start.file, start.start) <= (range.file, range.start) { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return [] }
        let layer = layers[partsByPlace[low - 1]]
        let own = layer.root.range
        guard let part = layer.part, range.file == own.file, range.start <= own.end else { return [] }
        let use = layer.use
        return [
            RelatedPlace(
                "from part \(part) at \(range.file):\(range.start.line), used at \(use.file):\(use.start.line)", at: use
            )
        ]
    }

    /// True if a text of the document holds these bytes; a key counts too.
    package func mentions(_ first: UInt8, _ second: UInt8) -> Bool {
        var rest = text[...]
        while let found = rest.firstIndex(of: first) {
            rest = text[(found + 1)...]
            if rest.first == second { return true }
        }
        return false
    }
}

/// Makes a document of nodes of others, each of which keeps its place.
package struct DocumentComposer {
    private let layers: [DocumentLayer]
    private var nodes: [NodeRecord] = []
    private var text: [UInt8] = []
    private var layerOfNode: [UInt32] = []

    /// Begins a document whose nodes come from these layers.
    package init(_ layers: [DocumentLayer]) { self.layers = layers }

    /// Adds a scalar as it is.
    package mutating func add(_ scalar: Node, of layer: Int) { add(scalar, of: layer, scalar.record.form, scalar.utf8) }

    /// Adds another text in the place of a scalar; nil for one that a diagnostic has been issued of.
    package mutating func add(_ text: [UInt8]?, inPlaceOf scalar: Node, of layer: Int) {
        add(scalar, of: layer, text == nil ? .invalid : .string, text?[...])
    }

    /// Adds a value, of its own type, in the place of a scalar.
    package mutating func add(_ value: Node, inPlaceOf scalar: Node, of layer: Int) {
        add(scalar, of: layer, value.record.form, value.utf8)
    }

    private mutating func add(_ node: Node, of layer: Int, _ form: NodeForm, _ bytes: ArraySlice<UInt8>?) {
        let bytes = bytes ?? []
        layerOfNode.append(UInt32(truncatingIfNeeded: layer))
        nodes.append(node.written.saying(form, first: text.count, count: bytes.count, next: nodes.count + 1))
        text += bytes
    }

    /// Begins a collection in the place of one; what is added until it is closed stands in it.
    package mutating func open(_ collection: Node, of layer: Int) -> Int {
        layerOfNode.append(UInt32(truncatingIfNeeded: layer))
        nodes.append(collection.written.saying(collection.record.form, first: 0, count: 0, next: nodes.count + 1))
        return nodes.count - 1
    }

    /// Ends a collection with its number of elements or entries.
    package mutating func close(_ place: Int, count: Int) {
        nodes[place] = nodes[place].saying(nodes[place].form, first: 0, count: count, next: nodes.count)
    }

    /// The document; it is called like the file of the last layer.
    package consuming func document() -> Document {
        Document(
            file: layers.last?.root.document.file ?? "", nodes: nodes, text: text, layers: layers,
            layerOfNode: layerOfNode)
    }
}
