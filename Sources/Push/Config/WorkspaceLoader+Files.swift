package import Base

/// A file that a workspace is read from.
package struct WorkspaceFile: Hashable, Sendable {
    /// The file's name in diagnostics, relative to the current folder.
    package let name: String
    /// The file's absolute path without links.
    package let realPath: String

    package init(name: String, realPath: String) {
        self.name = name
        self.realPath = realPath
    }
}

extension WorkspaceLoader {
    /// Lists the files that ``load(directory:displayedAs:adding:)`` reads, in path order, whether they are valid or not.
    ///
    /// A folder without a `bugle.yaml` is listed like one that excludes nothing.
    ///
    /// - Parameters:
    ///   - directory: The workspace's folder, or one of its folders.
    ///   - name: The same folder as diagnostics shall show it, relative to the current folder; empty or `.` for that.
    /// - Returns: The files, and what cannot be read.
    package static func files(
        directory: String, displayedAs name: String
    ) -> (files: [WorkspaceFile], diagnostics: [Diagnostic]) {
        let opened: OpenedFolder
        do {
            opened = try OpenedFolder(directory, displayedAs: name)
        } catch {
            let message = "the folder \(quoted(name)) cannot be read: \(error.message)"
            return ([], [Diagnostic(.error, .unreadable, message)])
        }
        let tree = opened.tree
        let files = tree.files.map { WorkspaceFile(name: opened.naming.name($0.path), realPath: $0.realPath) }
        return (files, tree.diagnostics)
    }
}
