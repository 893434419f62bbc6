/// One file of an export: what its beginning tells, and what it holds.
struct ExportStream {
    /// Its layout, and the class that a heading names.
    let head: ExportHead
    /// The first of its elements' bytes.
    let first: [UInt8]
    /// Whether there is nothing in it, not even a heading or an empty list.
    let isBlank: Bool
    /// The next bytes; empty at the end.
    let next: () throws(TransferError) -> [UInt8]

    /// Looks at the beginning.
    init(reading next: @escaping () throws(TransferError) -> [UInt8]) throws(TransferError) {
        var bytes: [UInt8] = []
        while bytes.count < ExportHead.size {
            let more = try next()
            if more.isEmpty { break }
            bytes += more
        }
        head = ExportHead(Array(bytes.prefix(ExportHead.size)))
        first = Array(bytes.dropFirst(head.count))
        isBlank = bytes.count < ExportHead.size && bytes.allSatisfy { $0 <= UInt8(ascii: " ") }
        self.next = next
    }
}

/// What the name of a file says of what it holds.
struct ExportFileName {
    /// `_Installation.0.jsonl`, without the folders before it.
    let name: String
    /// `_Installation`: what stands before the number and the kind of file.
    let className: String
    /// Whether there is a number, as LeanCloud writes them.
    let isNumbered: Bool

    /// Takes a path apart, whichever way its slashes lean.
    init(path: String) {
        name = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, ["json", "jsonl", "ndjson", "txt", "bson"].contains(parts[parts.count - 1].lowercased()) {
            parts.removeLast()
        }
        isNumbered = parts.count > 1 && Int(parts[parts.count - 1]) != nil
        if isNumbered { parts.removeLast() }
        className = parts.joined(separator: ".")
    }

    /// Whether it is of the backup that LeanCloud offers beside the export.
    var isBackup: Bool { name.lowercased().hasSuffix(".bson") }
}
