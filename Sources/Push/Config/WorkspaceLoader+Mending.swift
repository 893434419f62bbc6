internal import Base

extension WorkspaceLoader {
    /// The most mends of one run for a file, each of which is read anew.
    private static let mostMends = 200

    /// A file's bytes after every mend of its own mistakes that leads to no other; nil when there is none.
    ///
    /// Only the mended places differ. A mend is made when the file that it leads to has no more errors than before, or
    /// is read further than before; the next one sees what it led to.
    ///
    /// - Parameters:
    ///   - bytes: The file as it is.
    ///   - folder: The workspace's folder, which paths in the file are relative to.
    /// - Returns: The bytes; nil when nothing is mended.
    package static func mended(_ bytes: [UInt8], folder: String) -> [UInt8]? {
        let reader = FileReader(folder: WorkspaceFolder(root: folder), naming: FileNaming(workspace: ""))
        func errors(_ bytes: [UInt8]) -> [Diagnostic] {
            reader.read(bytes, as: "file").diagnostics.filter { $0.severity == .error }
        }
        var (result, found) = (bytes, errors(bytes))
        var (made, refused) = (0, Set<Mend>())
        while made + refused.count < mostMends {
            guard let next = found.first(where: { $0.mend.map { !refused.contains($0) } ?? false }),
                let mend = next.mend
            else { break }
            let candidate = mend.applied(to: result)
            let after = candidate.map(errors)
            if let candidate, let after, next.isBetter(after, than: found) {
                (result, found) = (candidate, after)
                made += 1
            } else {
                refused.insert(mend)
            }
        }
        return made == 0 ? nil : result
    }
}

extension Diagnostic {
    /// True when the errors after the mend of this one are better than those before it.
    fileprivate func isBetter(_ after: [Diagnostic], than before: [Diagnostic]) -> Bool {
        let unread = after.filter { $0.code == .yamlSyntax }
        guard code == .yamlSyntax else {
            return after.count <= before.count && (unread.isEmpty || before.contains { $0.code == .yamlSyntax })
        }
        // What could not be read before may have errors of its own.
        guard let line = range?.start.line else { return false }
        return unread.allSatisfy { ($0.range?.start.line ?? 0) > line }
    }
}

extension Mend {
    /// The bytes with the text in its place; nil when there is no such place, or an alias or anchor begins it.
    fileprivate func applied(to bytes: [UInt8]) -> [UInt8]? {
        let starts = SourceFiles.starts(of: bytes)
        guard starts.indices.contains(range.start.line - 1) else { return nil }
        let line = bytes[starts[range.start.line - 1]...].prefix { $0 != 0x0A && $0 != 0x0D }
        // A column is a scalar, whose first byte is no continuation.
        let places = line.indices.filter { line[$0] & 0xC0 != 0x80 } + [line.endIndex]
        guard places.indices.contains(range.start.column - 1), places.indices.contains(range.end.column - 1),
            range.start <= range.end
        else { return nil }
        let place = places[range.start.column - 1]..<places[range.end.column - 1]
        if let first = bytes[place].first, first == UInt8(ascii: "*") || first == UInt8(ascii: "&"),
            !text.hasPrefix("\"")
        {
            return nil
        }
        var result = bytes
        result.replaceSubrange(place, with: text.utf8)
        return result
    }
}
