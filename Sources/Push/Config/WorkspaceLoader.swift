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
    /// The names that documents of each kind declare.
    var names: [DeclaredNames] = []

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
    /// - Returns: The workspace, nil if there are errors, with the diagnostics and the files that were read.
    package static func load(
        directory: String, displayedAs name: String, adding added: [(path: String, text: String)] = []
    ) async -> LoadedWorkspace {
        let opened: OpenedFolder
        do {
            opened = try OpenedFolder(directory, displayedAs: name)
        } catch {
            return failed("the workspace \(quoted(name)) cannot be read: \(error.message)", .unreadable)
        }
        guard let main = opened.main else {
            return failed("there is no \(FileTree.marker) in \(quoted(name.isEmpty ? "." : name))", .workspaceDocument)
        }
        let (reader, tree) = (opened.reader, opened.tree)
        let position = tree.files.firstIndex { $0.path == FileTree.marker }
        var files = await reader.read(tree.files.filter { $0.path != FileTree.marker })
        files.insert(main, at: position ?? 0)
        files += added.map { reader.read(Array($0.text.utf8), as: $0.path) }
        var assembly = WorkspaceAssembly(files, main: opened.naming.name(FileTree.marker))
        let workspace = assembly.workspace()
        let diagnostics = (tree.diagnostics + files.flatMap(\.diagnostics) + assembly.diagnostics).sortedForPrinting()
        return LoadedWorkspace(
            workspace: diagnostics.hasErrors ? nil : workspace, readable: workspace, diagnostics: diagnostics,
            sources: SourceFiles(files), folder: opened.folder.root, names: assembly.names)
    }

    private static func failed(_ message: String, _ code: DiagnosticCode) -> LoadedWorkspace {
        LoadedWorkspace(
            workspace: nil, readable: nil, diagnostics: [Diagnostic(.error, code, message)], sources: SourceFiles(),
            folder: "")
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
        let path = folder.root + "/" + FileTree.marker
        let isThere = (try? Posix.kind(of: path)) == .file
        main = isThere ? reader.read(FileTree.File(path: FileTree.marker, realPath: path)) : nil
    }

    /// The files below the folder, listed anew each time.
    var tree: FileTree {
        var exclude: [Glob] = []
        for declaration in main?.declarations ?? [] {
            if case .workspace(let workspace) = declaration.content {
                exclude = workspace.exclude
                break
            }
        }
        return FileTree(folder, naming, exclude: exclude)
    }
}
