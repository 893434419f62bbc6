/// What tells a state of a workspace's folder from another: a stamp of each entry, and no content.
///
/// Names that begin with a dot are left out, as they are when the workspace is read: editors keep their drafts so.
package struct WorkspaceStamp: Hashable, Sendable {
    private var entries: [String: [Int64]] = [:]

    /// Looks at a folder and everything below it; whatever cannot be read counts as absent.
    package init(of folder: String) {
        var walked: Set<[Int64]> = []
        walk(folder, &walked)
    }

    private mutating func walk(_ path: String, _ walked: inout Set<[Int64]>) {
        guard let stamp = Posix.stamp(of: path) else { return }
        entries[path] = stamp
        // A link can lead back to a folder above.
        guard (try? Posix.kind(of: path)) == .folder, walked.insert(Array(stamp.prefix(2))).inserted else { return }
        for entry in (try? Posix.entries(of: path)) ?? [] where entry.name.utf8.first != UInt8(ascii: ".") {
            walk(path + "/" + entry.name, &walked)
        }
    }
}
