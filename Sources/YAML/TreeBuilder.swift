internal import Base
internal import CYAML

/// Turns events into the flat storage of documents and collects errors.
struct TreeBuilder {
    /// A collection that is still open.
    struct Frame {
        var node = 0
        var isMapping = false
        var isFlow = false
        /// Direct children so far; in a mapping, every other one is a key.
        var children = 0
        /// The index of its first key in `keys`.
        var firstKey = 0
        /// Expanded nodes of the file before this one.
        var expandedBefore = 0
        /// Nesting depth from here down, itself included.
        var height = 1
        /// Its index in `anchors`.
        var anchor: Int?
        /// True if a key is a merge or invalid.
        var hasSpecialKeys = false
    }

    /// A key of a mapping that is still open.
    struct Key {
        enum Role {
            case ordinary
            /// A plain `<<`.
            case merge
            /// Already reported; the entry is left out.
            case leftOut
        }
        var node: Int
        var first: Int
        var count: Int
        var role: Role
    }

    /// The target of `&name`.
    struct Anchor {
        var node: Int
        var size = 1
        var height = 0
        var isComplete = false
        /// The anchor of a text, until an alias refers to it: it may be meant as a part of the text.
        var unused: Document.UnusedAnchor?
    }

    let source: SourceText
    var cursor: SourceCursor
    /// Most files have none, and need no cursor that follows the keys.
    private(set) lazy var hasQuestionMark = unsafe source.bytes.withUnsafeBytes { bytes in
        // It looks at the buffer's bytes only, and the pointer that it returns is not read.
        unsafe bytes.baseAddress.flatMap { unsafe memchr($0, 0x3F, bytes.count) } != nil
    }

    // The document being built. `text` and `nodes` keep their capacity from one document to the next.
    var nodes: [NodeRecord] = []
    var text: [UInt8] = []
    var entries: [EntryRecord] = []
    var documentStart = Mark()
    /// The open collection that gets the next children; at the top level, the document itself.
    var top = Frame()
    /// The collections around it.
    var frames: [Frame] = []
    var keys: [Key] = []
    var anchors: [Anchor] = []
    var anchorNames: [String: Int] = [:]
    /// The end of the last scalar, alias or flow collection, which is also the end of the blocks around it.
    var lastEnd = Mark()

    var expanded = 0
    var documents: [Document] = []
    var diagnostics: [Diagnostic] = []
    /// The anchor and tag of the current event, if it has any.
    var names = EventNames()
    var isFinished = false

    init(_ source: SourceText) {
        self.source = source
        cursor = SourceCursor(source)
        // About what a file of short keys and values needs; both grow when that is not enough.
        nodes.reserveCapacity(min(source.bytes.count / 8, 4096) + 8)
        text.reserveCapacity(min(source.bytes.count, 65_536))
        frames.reserveCapacity(8)
        keys.reserveCapacity(32)
    }

    /// Processes one event; a scalar's value starts at `offset` in `text`.
    mutating func add(_ event: Event, textAt offset: Int) {
        switch event.kind {
        case .scalar: addScalar(event, textAt: offset)
        case .mappingStart: open(event, isMapping: true)
        case .sequenceStart: open(event, isMapping: false)
        case .mappingEnd, .sequenceEnd: close(event)
        case .alias: addAlias(event)
        case .documentStart: documentStart = event.start
        case .documentEnd: endDocument()
        case .streamStart: break
        case .streamEnd, .failure: isFinished = true
        }
    }

    private mutating func endDocument() {
        if !nodes.isEmpty {
            // Copies of the exact size: the builder's own storage is larger and is reused.
            documents.append(
                Document(
                    file: source.file, nodes: nodes.withoutSlack, text: text.withoutSlack, entries: entries,
                    unusedAnchors: anchors.compactMap(\.unused)))
        }
        nodes.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
        entries = []
        top = Frame()
        guard !anchors.isEmpty else { return }
        anchors = []
        anchorNames = [:]
    }
}

extension Array {
    /// A copy that takes no more memory than its elements.
    fileprivate var withoutSlack: [Element] {
        // The buffer has room for `count` elements, and all are written.
        unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe _ = buffer.initialize(from: self)
            initialized = count
        }
    }
}

extension TreeBuilder {
    /// True if the next node is a key.
    var isAtKey: Bool { top.isMapping && top.children & 1 == 0 }

    /// Counts `size` more nodes; stops reading when there are too many.
    mutating func admit(_ size: Int, at event: Event) -> Bool {
        expanded += size
        guard expanded > Limits.nodes else { return true }
        stop("more than 100,000 nodes with all aliases expanded", at: event)
        return false
    }

    mutating func stop(_ message: String, at event: Event) {
        report(.limitExceeded, message, at: range(event.start, event.end))
        isFinished = true
    }

    /// Records that a node inside the open collection is complete.
    mutating func finish(height: Int) {
        top.children += 1
        if top.height <= height { top.height = height + 1 }
    }

    func range(_ start: Mark, _ end: Mark) -> SourceRange {
        let from = SourcePosition(line: Int(start.line) + 1, column: Int(start.column) + 1)
        let to = SourcePosition(line: Int(end.line) + 1, column: Int(end.column) + 1)
        return SourceRange(file: source.file, start: from, end: to > from ? to : nil)
    }

    /// The range of a node that is already in `nodes`.
    func range(ofNode node: Int) -> SourceRange { nodes[node].range(in: source.file) }
}

// MARK: - Problems

extension TreeBuilder {
    mutating func report(_ code: DiagnosticCode, _ message: String, at range: SourceRange, help: String? = nil) {
        diagnostics.append(Diagnostic(.error, code, message, at: range, help: help))
    }

    /// Reports a syntax error of libyaml.
    mutating func report(_ problem: EventReader.Problem) {
        let previous = nodes.isEmpty ? nil : range(ofNode: nodes.count - 1)
        diagnostics.append(SyntaxFault(problem, after: previous, in: source).diagnostic)
    }

    /// Reports a key whose `?` libyaml took for a key indicator: in YAML it is one only before a space.
    mutating func reportKeyMark(_ event: Event) {
        guard hasQuestionMark, cursor.byte(before: event.start) == UInt8(ascii: "?") else { return }
        report(
            .yamlSyntax, "'?' before a key needs a space after it", at: range(event.start, event.end),
            help: "quote the key if '?' is part of it")
    }

    /// Ends the reading at an unquoted text that begins with `{{`, which is a mapping in a key to YAML.
    mutating func reportBraces() {
        let start = range(ofNode: top.node).start
        diagnostics.append(
            Diagnostic(
                .error, .yamlSyntax, "a text that begins with '{{' must be quoted",
                at: SourceRange(file: source.file, start: start), help: SyntaxFault.quoting,
                mend: TextQuoting.mend(source.lines(), at: start.line, file: source.file)))
        isFinished = true
    }

    /// Ends the reading at a key behind a space that only looks like indentation.
    mutating func reportForeignSpace(_ key: ArraySlice<UInt8>, _ event: Event) {
        guard let space = String(decoding: key.prefix(4), as: UTF8.self).unicodeScalars.first, space.isForeignSpace
        else { return }
        report(
            .yamlSyntax, "\(space.codePoint) cannot indent a line", at: range(event.start, event.start),
            help: "use spaces, two for each level")
        isFinished = true
    }

    /// Reports an anchor whose name libyaml read only in part.
    mutating func reportAnchor(_ properties: SourceCursor.Properties) {
        guard let name = names.anchor, let start = properties.anchor, let end = properties.anchorEnd,
            end.index - start.index != name.utf8.count + 1
        else { return }
        report(.yamlSyntax, "an anchor's name has letters, digits, '-' and '_' only", at: range(start, end))
    }
}
