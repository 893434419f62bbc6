internal import Base

/// What tells a state of a workspace's folder from another: a stamp of each entry, and no content.
///
/// Names that begin with a dot are left out, as they are when the workspace is read: editors keep their drafts so.
package struct WorkspaceStamp: Hashable, Sendable {
    private var entries: [String: FileStamp] = [:]

    /// Looks at a folder and everything below it; whatever cannot be read counts as absent.
    package init(of folder: String) {
        var walked: Set<FileIdentity> = []
        walk(folder, &walked)
    }

    private mutating func walk(_ path: String, _ walked: inout Set<FileIdentity>) {
        let stamp = FileStamp(path)
        guard let file = stamp.identity else { return }
        entries[path] = stamp
        // A link can lead back to a folder above.
        guard (try? Posix.kind(of: path)) == .folder, walked.insert(file).inserted else { return }
        for entry in (try? Posix.entries(of: path)) ?? [] where entry.name.utf8.first != UInt8(ascii: ".") {
            walk(path + "/" + entry.name, &walked)
        }
    }
}
