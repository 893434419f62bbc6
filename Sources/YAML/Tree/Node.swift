package import Base

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
        /// A single value.
        case scalar
        /// A list.
        case sequence
        /// Entries of a key and a value.
        case mapping
    }

    /// The kind of node.
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
    package var range: SourceRange { document.nodes[Int(place)].range(in: document.file) }

    /// The type in words for a message: `a mapping`, `a string`, `an integer`, `null`.
    package var typeDescription: String { record.form.description }

    /// True if a diagnostic has already reported that this value is invalid (an unknown alias or tag, `.inf`).
    ///
    /// Such a value needs no second diagnostic.
    package var isInvalid: Bool { record.form == .invalid }

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
