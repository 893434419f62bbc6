internal import Base

/// The type of a node, after its tag and scalar resolution are applied.
enum NodeForm: UInt8 {
    case sequence
    case mapping
    /// Refers to the node at `first`.
    case alias
    case null
    case bool
    case integer
    /// An integer that does not fit 64 bits.
    case hugeInteger
    case float
    case string
    /// Already reported: an unknown alias, a tag that does not fit, `.inf`.
    case invalid
}

/// One node of a document's flat storage, in source order: a collection, then everything in it.
///
/// 24 bytes, since ten thousand files are held at once. No number here exceeds 2²¹: a file is at most 1 MiB.
struct NodeRecord {
    private var startAndCount: PackedPlace
    private var endAndFirst: PackedPlace
    private var nextRecord: UInt32
    var form: NodeForm
    /// True if the mapping's entries differ from the records in it: there is a merge, or a key is left out.
    var hasEntryTable = false

    init(_ form: NodeForm, from start: Mark, to end: Mark, first: Int = 0, count: Int = 0, next: Int) {
        self.form = form
        startAndCount = PackedPlace(start, count)
        endAndFirst = PackedPlace(end, first)
        nextRecord = UInt32(truncatingIfNeeded: next)
    }

    /// Scalar: offset of its text. Alias: the node it refers to. Mapping with `hasEntryTable`: its first entry.
    var first: Int {
        get { endAndFirst.number }
        set { endAndFirst.number = newValue }
    }

    /// Scalar: length of its text in bytes. Collection: number of elements or entries.
    var count: Int {
        get { startAndCount.number }
        set { startAndCount.number = newValue }
    }

    /// The record after this node and everything in it.
    var next: Int { Int(nextRecord) }

    /// Completes a collection.
    mutating func close(at end: Mark, count: Int, next: Int) {
        self.count = count
        endAndFirst = PackedPlace(end, first)
        nextRecord = UInt32(truncatingIfNeeded: next)
    }

    /// The same place with another value, whose scalar's text or first record is at `first`.
    func saying(_ form: NodeForm, first: Int, count: Int, next: Int) -> NodeRecord {
        var record = self
        record.form = form
        record.hasEntryTable = false
        record.first = first
        record.count = count
        record.nextRecord = UInt32(truncatingIfNeeded: next)
        return record
    }

    func range(in file: String) -> SourceRange {
        let (start, end) = (startAndCount.position, endAndFirst.position)
        return SourceRange(file: file, start: start, end: end > start ? end : nil)
    }
}

/// A line, a column and a number, each below 2²¹, in eight bytes.
private struct PackedPlace {
    private static let mask: UInt64 = 1 << 21 - 1
    private var bits: UInt64

    init(_ mark: Mark, _ number: Int) {
        bits = UInt64(mark.line) << 42 | UInt64(mark.column) << 21 | UInt64(truncatingIfNeeded: number)
    }

    var number: Int {
        get { Int(bits & Self.mask) }
        set { bits = bits & ~Self.mask | UInt64(truncatingIfNeeded: newValue) & Self.mask }
    }

    var position: SourcePosition {
        SourcePosition(line: Int(bits >> 42) + 1, column: Int(bits >> 21 & Self.mask) + 1)
    }
}

/// One entry of a mapping that has an entry table.
struct EntryRecord {
    var key: UInt32
    var value: UInt32
}

extension NodeRecord {
    /// A scalar's bytes in the text of its document.
    var textRange: Range<Int> { first..<first + count }
}

extension [NodeRecord] {
    /// The node itself, or the target of an alias; an alias never has an anchor.
    func followingAlias(_ node: Int) -> Int { self[node].form == .alias ? self[node].first : node }
}

extension NodeForm {
    /// The kind of value in words, with its article.
    var description: String {
        switch self {
        case .sequence: "a sequence"
        case .mapping: "a mapping"
        case .alias: "an alias"
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .hugeInteger: "an integer"
        case .float: "a number"
        case .string: "a string"
        case .invalid: "an invalid value"
        }
    }
}

/// A position in the iteration over the entries of one mapping.
struct EntryPosition {
    private var place: Int
    private var remaining: Int
    private let usesTable: Bool

    init(of mapping: Int, in nodes: [NodeRecord]) {
        usesTable = nodes[mapping].hasEntryTable
        place = usesTable ? nodes[mapping].first : mapping + 1
        remaining = nodes[mapping].form == .mapping ? nodes[mapping].count : 0
    }

    mutating func next(_ nodes: [NodeRecord], _ entries: [EntryRecord]) -> (key: Int, value: Int)? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if usesTable {
            let entry = entries[place]
            place += 1
            return (Int(entry.key), Int(entry.value))
        }
        let key = place
        let value = nodes[key].next
        place = nodes[value].next
        return (key, value)
    }
}
