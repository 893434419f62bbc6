internal import Base

struct FileTree {
    struct File: Sendable {
        /// The file's path relative to the workspace.
        var path: String
        /// The file's absolute path without links.
        var realPath: String
    }

    let folder: WorkspaceFolder
    let naming: FileNaming
    let exclude: [Glob]
    private(set) var files: [File] = []
    private(set) var diagnostics: [Diagnostic] = []
    private var links: [(path: String, target: String)] = []
    /// By bytes: names that are equal as texts, such as an `é` and an `e` with an accent, are two to a file system.
    private var walked: Set<[UInt8]> = []

    init(_ folder: WorkspaceFolder, _ naming: FileNaming, exclude: [Glob]) {
        self.folder = folder
        self.naming = naming
        self.exclude = exclude
        walk("", folder.root)
        if !links.isEmpty { followLinks() }
        files.sort { $0.path < $1.path }
    }

    private mutating func walk(_ path: String, _ realPath: String) {
        guard walked.insert(Array(realPath.utf8)).inserted else { return }
        let entries: [(name: String, kind: Posix.EntryKind)]
        do {
            entries = try Posix.entries(of: realPath)
        } catch {
            report(.unreadable, "the folder cannot be read: \(error.message)", path)
            return
        }
        // Another workspace.
        if !path.isEmpty, entries.contains(where: { $0.name == WorkspaceLoader.marker }) { return }
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
        !exclude.isEmpty && path != WorkspaceLoader.marker && exclude.contains { $0.matches(path) }
    }

    private static func isYAML(_ name: String) -> Bool { name.hasSuffix(".yaml") || name.hasSuffix(".yml") }

    /// Adds the targets of links inside the workspace, unless they are listed where they are.
    private mutating func followLinks() {
        var known = Set(files.map { Array($0.realPath.utf8) })
        while !links.isEmpty {
            let round = links.sorted { $0.path < $1.path }
            links = []
            for link in round { follow(link.path, link.target, &known) }
            for file in files { known.insert(Array(file.realPath.utf8)) }
        }
    }

    private mutating func follow(_ path: String, _ target: String, _ known: inout Set<[UInt8]>) {
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
            } else if known.insert(Array(realPath.utf8)).inserted {
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

/// A path pattern: `*` matches any characters but `/`, `?` one of them, `**` any number of folders.
///
/// A pattern without `/` matches a name in every folder; one with `/` starts at the workspace's folder. A pattern that
/// matches a folder matches everything in it.
struct Glob: Hashable, Sendable {
    private let parts: [[Unicode.Scalar]]
    private let isAnchored: Bool

    /// Parses a pattern; a leading `/` or `./` and a trailing `/` are ignored.
    init(_ pattern: String) {
        var text = Substring(pattern)
        if text.hasPrefix("./") { text = text.dropFirst(2) }
        var parts: [[Unicode.Scalar]] = []
        for part in text.split(separator: "/").map({ Array($0.unicodeScalars) }) {
            // Two in a row mean the same as one.
            if part == ["*", "*"], parts.last == part { continue }
            parts.append(part)
        }
        self.parts = parts
        isAnchored = parts.count > 1 || text.hasPrefix("/")
    }

    /// True when the pattern matches a path relative to the workspace; the folders above it are not checked.
    func matches(_ path: String) -> Bool {
        let names = path.split(separator: "/").map { Array($0.unicodeScalars) }
        guard !parts.isEmpty else { return false }
        if !isAnchored, let last = names.last { return Self.matches(parts[0], last) }
        return Self.matches(parts[...], names[...])
    }

    private static func matches(_ parts: ArraySlice<[Unicode.Scalar]>, _ names: ArraySlice<[Unicode.Scalar]>) -> Bool {
        // At the end, `**` matches everything inside, not the folder itself: it takes at least one name.
        left(of: parts, names, isStar: { $0 == ["*", "*"] }, matches)?.isEmpty ?? false
    }

    private static func matches(_ part: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
        let star: Unicode.Scalar = "*"
        let rest = left(of: part[...], name[...], isStar: { $0 == star }) { wanted, scalar in
            wanted == "?" || wanted == scalar
        }
        return rest?.allSatisfy { $0 == star } ?? false
    }

    /// The rest of a pattern after all elements are matched; nil when they do not match.
    ///
    /// Backtracks to the last star only: anything an earlier star could take as well, the last one can take too.
    private static func left<Part, Element>(
        of pattern: ArraySlice<Part>, _ elements: ArraySlice<Element>, isStar: (Part) -> Bool,
        _ fits: (Part, Element) -> Bool
    ) -> ArraySlice<Part>? {
        var (pattern, elements) = (pattern, elements)
        var restart: (pattern: ArraySlice<Part>, elements: ArraySlice<Element>)?
        while let element = elements.first {
            if let part = pattern.first, isStar(part) {
                pattern.removeFirst()
                restart = (pattern, elements)
            } else if let part = pattern.first, fits(part, element) {
                pattern.removeFirst()
                elements.removeFirst()
            } else if let last = restart {
                (pattern, elements) = (last.pattern, last.elements.dropFirst())
                restart = (pattern, elements)
            } else {
                return nil
            }
        }
        return pattern
    }
}

/// The folder of a workspace, links resolved.
struct WorkspaceFolder: Sendable {
    /// The folder's absolute path without links.
    let root: String

    /// True when an absolute path without links is inside the folder.
    func contains(_ path: String) -> Bool {
        let above = root == "/" ? root : root + "/"
        return path.utf8.elementsEqual(root.utf8) || path.utf8.starts(with: above.utf8)
    }

    /// The problem that keeps a path from naming a file inside the workspace, in words that follow the field's name.
    ///
    /// The file need not exist; the part of its path that exists is checked with links resolved.
    func problem(withPath path: String) -> String? {
        guard !path.isEmpty else { return "must not be empty" }
        guard path.utf8.first != UInt8(ascii: "/") else { return "must be a path relative to the workspace" }
        guard !path.hasPrefix("~") else { return "must be a path relative to the workspace; '~' is not expanded" }
        guard !path.utf8.contains(0) else { return "must not contain a NUL character" }
        var depth = 0
        for part in path.split(separator: "/") where part != "." {
            depth += part == ".." ? -1 : 1
            if depth < 0 { return "leads out of the workspace" }
        }
        return staysInside(path) ? nil : "leads out of the workspace through a link"
    }

    /// True when a link, given by its absolute path, leads outside, even if its target does not exist.
    func isLeft(byLink link: String) -> Bool {
        guard let text = Posix.text(ofLink: link) else { return false }
        let folder = link.lastIndex(of: "/").map { String(link[..<$0]) } ?? ""
        var place = text.hasPrefix("/") ? text : folder + "/" + text
        while true {
            if let resolved = try? Posix.realPath(place.isEmpty ? "/" : place) { return !contains(resolved) }
            guard let end = place.lastIndex(of: "/") else { return true }
            place = String(place[..<end])
        }
    }

    private func staysInside(_ path: String) -> Bool {
        var resolved = root
        for part in path.split(separator: "/") where part != "." {
            let place = resolved + "/" + part
            guard let next = try? Posix.realPath(place) else {
                // It is unknown where a link with a missing target leads; below a missing folder there is nothing.
                return contains(resolved) && !Posix.isLink(place)
            }
            resolved = next
        }
        return contains(resolved)
    }
}

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
