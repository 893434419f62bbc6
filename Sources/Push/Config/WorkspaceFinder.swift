package import Base

/// Finds the folder of the workspace that a command works on.
package enum WorkspaceFinder {
    /// A workspace that was found.
    package struct Location: Hashable, Sendable {
        /// The folder, as a path that can be opened.
        package var directory: String
        /// The folder as shown in diagnostics, relative to the current folder; `.` for the current folder.
        package var displayName: String

        package init(directory: String, displayName: String) {
            self.directory = directory
            self.displayName = displayName
        }
    }

    /// Finds the workspace of a command.
    ///
    /// - Parameters:
    ///   - chosen: The folder given with `-C`; nil without it. Then it is the current folder if it holds `bugle.yaml`,
    ///     else `campaigns` in it if that does.
    ///   - current: The current folder.
    /// - Returns: The workspace's folder, and its name in messages.
    /// - Throws: A diagnostic, code `workspace-document`, that says what was tried.
    package static func find(chosen: String?, from current: String = ".") throws(Diagnostic) -> Location {
        if let chosen {
            let directory = chosen.hasPrefix("/") ? chosen : join(current, chosen)
            guard holdsMarker(directory) else {
                throw Diagnostic(
                    .error, .workspaceDocument, "there is no bugle.yaml in \(quoted(chosen))",
                    help: "'bugle init \(chosen)' writes a small workspace")
            }
            return Location(directory: directory, displayName: displayName(chosen, directory, current))
        }
        for name in [".", "campaigns"] where holdsMarker(join(current, name)) {
            return Location(directory: join(current, name), displayName: name)
        }
        throw Diagnostic(
            .error, .workspaceDocument, "there is no bugle.yaml in '.' and none in './campaigns'",
            help: "name the workspace with -C DIR, or write one with 'bugle init'")
    }

    private static func join(_ folder: String, _ name: String) -> String {
        name == "." ? folder : folder == "." ? name : folder + "/" + name
    }

    private static func holdsMarker(_ directory: String) -> Bool {
        (try? Posix.kind(of: directory + "/" + FileTree.marker)) == .file
    }

    private static func displayName(_ chosen: String, _ directory: String, _ current: String) -> String {
        guard chosen.hasPrefix("/"), let target = try? Posix.realPath(directory),
            let start = try? Posix.realPath(current)
        else { return chosen }
        let (from, to) = (start.split(separator: "/"), target.split(separator: "/"))
        let common = zip(from, to).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: from.count - common) + to.dropFirst(common).map(String.init)
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }
}
