package import Base

/// A workspace as its files declare it, with the problems found in them.
package struct LoadedWorkspace: Sendable {
    /// The desired state; nil when any diagnostic is an error.
    package var workspace: Workspace?
    /// The part that could be read despite the errors, so that later checks can report everything in one run; nil
    /// without a Workspace document.
    package var readable: Workspace?
    /// All errors, warnings and notes, in printing order.
    package var diagnostics: [Diagnostic]
    /// The files that were read, by the names that diagnostics give them.
    package var sources: SourceFiles
    /// The names of these files, in path order.
    package var files: [String] { sources.names }
    /// The workspace's folder, absolute and without links; empty when there is none.
    package var folder: String
    var names: [DeclaredNames] = []
    /// What it was read from, where another remote has values of its own; else nil.
    var reading: WorkspaceReading?

    /// The workspace with the values of another remote; nil when that has none that matter.
    package func expanded(for remote: String) -> LoadedWorkspace? { reading?.loaded(for: remote) }

    /// True when a document declares the name, readable or not.
    package func declares(_ kind: DocumentKind, _ name: String) -> Bool {
        names.contains { $0.kind == kind && $0.contains(name) }
    }
}

/// Reads the files of a workspace: the only way from YAML to a desired state.
package enum WorkspaceLoader {
    /// Reads and checks everything in a workspace, without network and without reading a secret.
    ///
    /// Nothing is thrown: the problems of all files are collected.
    ///
    /// - Parameters:
    ///   - directory: The workspace's folder.
    ///   - name: The same folder as diagnostics shall show it, relative to the current folder; empty or `.` for that.
    ///   - added: Files, by their path in the workspace, that are read as if they were on the disk.
    ///   - remote: The remote whose values hold; nil for the one that is used when none is named.
    /// - Returns: The workspace, nil if there are errors, with the diagnostics and the files that were read.
    package static func load(
        directory: String, displayedAs name: String, adding added: [(path: String, text: String)] = [],
        remote: String? = nil
    ) async -> LoadedWorkspace {
        let opened: OpenedFolder
        do {
            opened = try OpenedFolder(directory, displayedAs: name)
        } catch {
            return failed("the workspace \(quoted(name)) cannot be read: \(error.message)", .unreadable)
        }
        guard let main = opened.main else {
            return failed("there is no \(marker) in \(quoted(name.isEmpty ? "." : name))", .workspaceDocument)
        }
        let (reader, tree) = (opened.reader, opened.tree)
        let position = tree.files.firstIndex { $0.path == marker }
        var files = await reader.read(tree.files.filter { $0.path != marker })
        files.insert(main, at: position ?? 0)
        files += added.map { reader.read(Array($0.text.utf8), as: $0.path) }
        return WorkspaceReading(
            files: files, main: opened.naming.name(marker), folder: opened.folder,
            diagnostics: tree.diagnostics
        )
        .loaded(for: remote)
    }

    private static func failed(_ message: String, _ code: DiagnosticCode) -> LoadedWorkspace {
        LoadedWorkspace(diagnostics: [Diagnostic(.error, code, message)], sources: SourceFiles(), folder: "")
    }
}

/// The files of a workspace as they were read, of which each remote's values make a workspace.
struct WorkspaceReading: Sendable {
    let files: [ReadFile]
    /// The name of `bugle.yaml` in diagnostics.
    let main: String
    let folder: WorkspaceFolder
    /// What was found beside the files.
    let diagnostics: [Diagnostic]

    func loaded(for remote: String?) -> LoadedWorkspace {
        var assembly = WorkspaceAssembly(files, main: main, folder: folder, remote: remote)
        let workspace = assembly.workspace()
        let diagnostics = (diagnostics + files.flatMap(\.diagnostics) + assembly.diagnostics).sortedForPrinting()
        return LoadedWorkspace(
            workspace: diagnostics.hasErrors ? nil : workspace, readable: workspace, diagnostics: diagnostics,
            sources: SourceFiles(files), folder: folder.root, names: assembly.names,
            reading: assembly.dependsOnRemote ? self : nil)
    }
}

/// A folder whose files are about to be read.
struct OpenedFolder {
    let folder: WorkspaceFolder
    let naming: FileNaming
    let reader: FileReader
    /// The folder's `bugle.yaml`, read first because it names the files to exclude; nil when there is none.
    let main: ReadFile?

    init(_ directory: String, displayedAs name: String) throws(Posix.Failure) {
        folder = WorkspaceFolder(root: try Posix.realPath(directory))
        naming = FileNaming(workspace: name)
        reader = FileReader(folder: folder, naming: naming)
        let path = folder.root + "/" + WorkspaceLoader.marker
        let isThere = (try? Posix.kind(of: path)) == .file
        main = isThere ? reader.read(FileTree.File(path: WorkspaceLoader.marker, realPath: path)) : nil
    }

    /// The files below the folder, listed anew each time.
    var tree: FileTree { FileTree(folder, naming, exclude: main?.workspace?.exclude ?? []) }
}

// MARK: - Files

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

// MARK: - Policy

extension WorkspaceLoader {
    /// The name of the file with the Workspace document, which makes a folder a workspace.
    package static let marker = "bugle.yaml"

    /// Reads the policy in a text of a `bugle.yaml`, such as one that is in git only; nil when it has errors or declares no
    /// workspace.
    ///
    /// Only errors about files count for nothing: those that an older text names may be gone. The policy is the one that
    /// holds on the remote with this name, the workspace's when the text has no such remote.
    package static func policy(in text: String, on remote: String, folder: String) -> Policy? {
        let reader = FileReader(folder: WorkspaceFolder(root: folder), naming: FileNaming(workspace: ""))
        let file = reader.read(Array(text.utf8), as: marker)
        guard !file.diagnostics.contains(where: { $0.severity == .error && $0.code != .unreadable }) else { return nil }
        return file.workspace.map { $0.workspace.remotes[remote]?.policy?.limits ?? $0.workspace.policy }
    }
}

// MARK: - Mending

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

/// Finds the folder of the workspace that a command works on.
package enum WorkspaceFinder {
    /// A workspace that was found.
    package struct Location: Hashable, Sendable {
        /// The folder, as a path that can be opened.
        package var directory: String
        /// The folder as shown in diagnostics, relative to the current folder; `.` for the current folder.
        package var displayName: String
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

    /// Finds every workspace in a folder and below it, in path order.
    ///
    /// As within a workspace, names that begin with a dot are left out, and links are not followed.
    ///
    /// - Parameters:
    ///   - chosen: The folder given with `-C`; nil for the current one.
    ///   - current: The current folder.
    /// - Returns: Each workspace with its folder relative to the chosen one, `.` for that itself.
    /// - Throws: A diagnostic, code `workspace-document`, when the folder cannot be read, or two workspaces are in
    ///   folders whose names are equal as texts: whatever is said or saved of one would be taken for the other's.
    package static func all(
        below chosen: String?, from current: String = "."
    ) throws(Diagnostic) -> [(folder: String, location: Location)] {
        let name = chosen ?? "."
        let root = name.hasPrefix("/") ? name : join(current, name)
        let shown = displayName(name, root, current)
        var found: [(folder: String, location: Location)] = []
        var open = ["."]
        while let folder = open.popLast() {
            let directory = join(root, folder)
            let entries: [(name: String, kind: Posix.EntryKind)]
            do {
                entries = try Posix.entries(of: directory)
            } catch {
                throw Diagnostic(
                    .error, .workspaceDocument,
                    "the folder \(quoted(join(shown, folder))) cannot be read: \(error.message)")
            }
            if holdsMarker(directory) {
                found.append((folder, Location(directory: directory, displayName: join(shown, folder))))
            }
            for entry in entries where entry.kind == .folder && entry.name.utf8.first != UInt8(ascii: ".") {
                open.append(join(folder, entry.name))
            }
        }
        found.sort { $0.folder < $1.folder }
        if let (twin, _) = zip(found, found.dropFirst()).first(where: { $0.folder == $1.folder }) {
            throw Diagnostic(
                .error, .workspaceDocument,
                "two folders with a bugle.yaml are called \(quoted(join(shown, twin.folder))), spelled in other bytes",
                help: "rename one of them")
        }
        return found
    }

    private static func join(_ folder: String, _ name: String) -> String {
        if name == "." { return folder }
        return folder == "." ? name : folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    private static func holdsMarker(_ directory: String) -> Bool {
        (try? Posix.kind(of: directory + "/" + WorkspaceLoader.marker)) == .file
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
