internal import Base
internal import FoundationEssentials
internal import Push

extension GitCheckout {
    /// Finds where the branch began: the last commit that it shares with a revision.
    ///
    /// - Throws: ``Failure`` with `usage` when there is no checkout, no such commit, or none that is shared.
    func base(since revision: String) async throws -> String {
        guard await output("rev-parse", "--verify", "HEAD^{commit}") != nil else {
            throw Failure(
                .usage, "--changed-since: the files are in no git checkout with a commit, or git is not installed")
        }
        let commit = await output("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        let isShallow = await output("rev-parse", "--is-shallow-repository")?.trimmingSpaces == "true"
        let advice =
            isShallow ? "; the clone is shallow: fetch the history (fetch-depth: 0, or git fetch --unshallow)" : ""
        guard let commit = commit?.trimmingSpaces else {
            throw Failure(.usage, "--changed-since: git knows no commit \(quoted(revision))\(advice)")
        }
        guard let base = await output("merge-base", commit, "HEAD")?.trimmingSpaces else {
            throw Failure(.usage, "--changed-since: HEAD shares no commit with \(quoted(revision))\(advice)")
        }
        return base
    }

    /// Files in the folder that are not as they were in a commit, relative to the folder.
    struct Differences {
        /// Every file that is new, changed or gone; of a renamed one both names.
        var paths: Set<String> = []
        /// The names that files have now, by those that they had.
        var renamed: [String: String] = [:]
    }

    /// Compares the files that git knows with a commit; nil when git fails.
    func differences(since commit: String) async -> Differences? {
        guard let listed = await output("diff", "--relative", "--name-status", "-M", "-z", commit, "--", ".") else {
            return nil
        }
        var words = listed.split(separator: "\0").map(String.init)[...]
        var differences = Differences()
        while let status = words.popFirst(), let path = words.popFirst() {
            differences.paths.insert(path)
            guard status.hasPrefix("R"), let name = words.popFirst() else { continue }
            differences.paths.insert(name)
            differences.renamed[path] = name
        }
        return differences
    }
}

/// The files that a branch has changed, committed or not, in a folder with many workspaces.
struct ChangedFiles {
    /// The folders of workspaces that are gone, relative to the folder, in path order.
    let removed: [String]
    /// The changed files, relative to the folder.
    private let paths: Set<String>
    /// The folder, absolute and without links.
    private let root: String

    /// Compares a folder with where the branch began.
    ///
    /// - Throws: ``Failure`` with `usage` as ``GitCheckout/base(since:)`` does, `failed` when git lists no files.
    init(in folder: String, since revision: String) async throws {
        let git = GitCheckout(folder: folder)
        let base = try await git.base(since: revision)
        guard let differences = await git.differences(since: base),
            let new = await git.output("ls-files", "--others", "--exclude-standard", "-z", "--", "."),
            let top = await git.output("rev-parse", "--show-toplevel"),
            let prefix = await git.output("rev-parse", "--show-prefix")
        else {
            throw Failure(.failed, "--changed-since: git cannot list the files that changed since \(base.prefix(7))")
        }
        paths = differences.paths.union(new.split(separator: "\0").map(String.init))
        let parts = [top, prefix].map { String($0.prefix { $0 != "\n" }) }
        root = parts[0] + "/" + parts[1]
        let markers = paths.filter { Self.name(of: $0) == WorkspaceLoader.marker }
        removed = markers.filter { path in
            // One that was moved goes on elsewhere.
            !FileManager.default.fileExists(atPath: folder + "/" + path) && differences.renamed[path] == nil
        }
        .map(Self.folder(of:)).sorted()
    }

    /// The workspaces of which a file has changed: one in its folder, or one that a link in it leads to.
    ///
    /// YAML files belong to the innermost workspace; others, such as string catalogs and keys, count for every workspace
    /// around them, because its files may name them.
    func changed(_ members: [Fleet.Member]) -> [Fleet.Member] {
        let folders = Set(members.map(\.folder))
        var changed: Set<String> = []
        for path in paths {
            // A workspace that is a submodule is listed by its folder.
            var folder = folders.contains(path) ? path : Self.folder(of: path)
            let isYAML = path.hasSuffix(".yaml") || path.hasSuffix(".yml")
            while true {
                if folders.contains(folder) {
                    changed.insert(folder)
                    if isYAML { break }
                }
                guard folder != "." else { break }
                folder = Self.folder(of: folder)
            }
        }
        return members.filter { changed.contains($0.folder) || reads($0) }
    }

    /// True if a workspace reads a changed file through a link.
    private func reads(_ member: Fleet.Member) -> Bool {
        guard let directory = member.directory else { return false }
        return WorkspaceLoader.files(directory: directory, displayedAs: directory).files.contains { file in
            file.realPath.hasPrefix(root) && paths.contains(String(file.realPath.dropFirst(root.count)))
        }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func name(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
    }
}

/// A workspace's files as they were where its branch began, read from git's objects into a folder of their own.
struct EarlierFiles {
    private let git: GitCheckout
    private let base: String
    /// The names that files have now, by those that they had; both relative to the workspace.
    private let renamed: [String: String]

    /// Finds where the branch began: the last commit that it shares with a revision.
    ///
    /// - Throws: ``Failure`` with `usage` when there is no checkout, no such commit, or none that is shared.
    init(in folder: String, since revision: String) async throws {
        git = GitCheckout(folder: folder)
        base = try await git.base(since: revision)
        renamed = await git.differences(since: base)?.renamed ?? [:]
    }

    /// The diagnostics that a workspace has now and did not have then.
    ///
    /// One is the same as before when severity, code, message and file are; of several that are the same, those on the
    /// same text stay first.
    func introduced(
        _ now: [Diagnostic], _ bench: Workbench, then check: (LoadedWorkspace) -> [Diagnostic]
    ) async throws -> [Diagnostic] {
        let before = try await load(displayedAs: bench.displayName)
        let prefix = bench.displayName == "." ? "" : bench.displayName + "/"
        var counts: [Same: Int] = [:]
        for found in check(before) {
            counts[Same(found, before.sources, file: name(of: found, prefix)), default: 0] += 1
            counts[Same(found, nil, file: name(of: found, prefix)), default: 0] += 1
        }
        let (sure, rest) = now.reduce(into: ([Diagnostic](), [Diagnostic]())) { parts, found in
            let exact = Same(found, bench.loaded.sources, file: found.range?.file)
            guard let count = counts[exact], count > 0 else { return parts.1.append(found) }
            counts[exact] = count - 1
            parts.0.append(found)
        }
        for found in sure { counts[Same(found, nil, file: found.range?.file), default: 0] -= 1 }
        return rest.filter { found in
            let same = Same(found, nil, file: found.range?.file)
            guard let count = counts[same], count > 0 else { return true }
            counts[same] = count - 1
            return false
        }
    }

    /// What makes two diagnostics the same; with sources, the text of their line does, too.
    private struct Same: Hashable {
        let severity: Severity
        let code: DiagnosticCode
        let message: String
        let file: String?
        let line: String?

        init(_ found: Diagnostic, _ sources: SourceFiles?, file: String?) {
            (severity, code, message) = (found.severity, found.code, found.message)
            self.file = file
            line = sources.map { sources in found.range.flatMap { sources.line($0.start.line, of: $0.file) } ?? "" }
        }
    }

    private func name(of found: Diagnostic, _ prefix: String) -> String? {
        found.range.map { range in
            guard range.file.hasPrefix(prefix) else { return range.file }
            return renamed[String(range.file.dropFirst(prefix.count))].map { prefix + $0 } ?? range.file
        }
    }

    /// Reads the files of the commit; a commit without the folder has none.
    private func load(displayedAs name: String) async throws -> LoadedWorkspace {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-since-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            try FileManager.default.createDirectory(
                atPath: folder + "/files", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(.failed, "\(folder) cannot be written")
        }
        if let tree = await git.output("rev-parse", "--verify", "--quiet", "\(base):./")?.trimmingSpaces {
            // In a folder below the top, git writes only what its index has below that folder.
            let top = await git.output("rev-parse", "--show-toplevel").map { String($0.prefix { $0 != "\n" }) }
            let whole = GitCheckout(folder: top ?? git.folder, index: folder + "/index")
            let isRead = await whole.output("read-tree", tree)
            let isWritten = await whole.output("checkout-index", "--all", "--prefix=\(folder)/files/")
            guard isRead != nil, isWritten != nil else {
                throw Failure(.failed, "--changed-since: the files of commit \(base.prefix(7)) cannot be read from git")
            }
        }
        return await WorkspaceLoader.load(directory: folder + "/files", displayedAs: name)
    }
}
