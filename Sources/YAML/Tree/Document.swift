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

    /// The name of a text that nothing refers to by it.
    package struct UnusedAnchor: Sendable {
        /// The name, without `&`.
        package let name: String
        /// The place from the `&` to the text.
        package let range: SourceRange
    }

    init(
        file: String, nodes: [NodeRecord], text: [UInt8], entries: [EntryRecord], unusedAnchors: [UnusedAnchor]
    ) {
        self.unusedAnchors = unusedAnchors
        self.file = file
        self.nodes = nodes
        self.text = text
        self.entries = entries
    }

    /// The root node; null for a document that consists of `---` only.
    package var root: Node { Node(self, at: 0) }

    /// The node at `path`; nil when some step of it does not exist.
    package func node(at path: [FieldPathElement]) -> Node? {
        var node: Node? = root
        for element in path { node = node?[element] }
        return node
    }

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
