internal import Base

/// Lists the files of a workspace.
struct FileTree {
    /// One file to read.
    struct File: Sendable {
        /// The file's path relative to the workspace.
        var path: String
        /// The file's absolute path without links.
        var realPath: String
    }

    /// The name that makes a folder a workspace.
    static let marker = "bugle.yaml"

    let folder: WorkspaceFolder
    let naming: FileNaming
    let exclude: [Glob]
    private(set) var files: [File] = []
    private(set) var diagnostics: [Diagnostic] = []
    private var links: [(path: String, target: String)] = []
    private var walked: Set<String> = []

    init(_ folder: WorkspaceFolder, _ naming: FileNaming, exclude: [Glob]) {
        self.folder = folder
        self.naming = naming
        self.exclude = exclude
        walk("", folder.root)
        if !links.isEmpty { followLinks() }
        files.sort { $0.path < $1.path }
    }

    private mutating func walk(_ path: String, _ realPath: String) {
        guard walked.insert(realPath).inserted else { return }
        let entries: [(name: String, kind: Posix.EntryKind)]
        do {
            entries = try Posix.entries(of: realPath)
        } catch {
            report(.unreadable, "the folder cannot be read: \(error.message)", path)
            return
        }
        // Another workspace.
        if !path.isEmpty, entries.contains(where: { $0.name == Self.marker }) { return }
        let (outer, place) = (path.isEmpty ? "" : path + "/", realPath + "/")
        for entry in entries where entry.name.utf8.first != UInt8(ascii: ".") {
            let inner = outer + entry.name
            guard !isExcluded(inner) else { continue }
            let target = place + entry.name
            switch entry.kind {
            case .folder: walk(inner, target)
            case .file where Self.isYAML(entry.name): files.append(File(path: inner, realPath: target))
            case .link: links.append((inner, target))
            case .file, .other: break
            }
        }
    }

    private func isExcluded(_ path: String) -> Bool {
        !exclude.isEmpty && path != Self.marker && exclude.contains { $0.matches(path) }
    }

    private static func isYAML(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }

    /// Adds the targets of links inside the workspace, unless they are listed where they are.
    private mutating func followLinks() {
        var known = Set(files.map(\.realPath))
        while !links.isEmpty {
            let round = links.sorted { $0.path < $1.path }
            links = []
            for link in round { follow(link.path, link.target, &known) }
            for file in files { known.insert(file.realPath) }
        }
    }

    private mutating func follow(_ path: String, _ target: String, _ known: inout Set<String>) {
        do {
            let realPath = try Posix.realPath(target)
            let kind = try Posix.kind(of: realPath)
            guard kind == .folder || Self.isYAML(path) else { return }
            if !folder.contains(realPath) {
                report(.linkOutside, "the link leads out of the workspace", path)
            } else if kind == .other {
                report(.unreadable, "the link leads to neither a file nor a folder", path)
            } else if kind == .folder {
                walk(path, realPath)
            } else if known.insert(realPath).inserted {
                files.append(File(path: path, realPath: realPath))
            }
        } catch {
            if error.isAbsence, folder.isLeft(byLink: target) {
                // The target may exist on another machine, or tomorrow.
                report(.linkOutside, "the link leads out of the workspace", path)
            } else if Self.isYAML(path) || !error.isAbsence {
                report(.unreadable, "the link cannot be followed: \(error.message)", path)
            }
        }
    }

    private mutating func report(_ code: DiagnosticCode, _ message: String, _ path: String) {
        diagnostics.append(Diagnostic(.error, code, message, at: naming.beginning(of: path)))
    }
}

/// The names of a workspace's files in diagnostics.
struct FileNaming: Sendable {
    private let prefix: String

    /// Creates the naming from the workspace's path as shown; empty or `.` for the current folder.
    init(workspace: String) {
        var path = Substring(workspace)
        while path.hasPrefix("./") { path = path.dropFirst(2) }
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        prefix = path.isEmpty || path == "." ? "" : path == "/" ? "/" : path + "/"
    }

    /// The name of a file whose path is relative to the workspace.
    func name(_ path: String) -> String { path.isEmpty ? (prefix.isEmpty ? "." : prefix) : prefix + path }

    /// The position of the first character of a file.
    func beginning(of path: String) -> SourceRange {
        SourceRange(file: name(path), start: SourcePosition(line: 1, column: 1))
    }
}
