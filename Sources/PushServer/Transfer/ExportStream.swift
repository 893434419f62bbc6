/// One file of an export: its head and its content.
struct ExportStream {
    /// The layout, and the class named by a heading.
    let head: ExportHead
    /// The first bytes of the elements.
    let first: [UInt8]
    /// True if the file is empty, without even a heading or an empty list.
    let isBlank: Bool
    /// Returns the next bytes; empty at the end.
    let next: () throws(TransferError) -> [UInt8]

    /// Reads the head.
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

/// The information in a file's name.
struct ExportFileName {
    /// The name without its folders, such as `_Installation.0.jsonl`.
    let name: String
    /// The part before the number and the extension, such as `_Installation`.
    let className: String
    /// True if the name has a number, as in LeanCloud's exports.
    let isNumbered: Bool

    /// Parses a path with slashes or backslashes.
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

    /// True for a file of LeanCloud's backup, which the console offers beside the export.
    var isBackup: Bool { name.lowercased().hasSuffix(".bson") }
}
