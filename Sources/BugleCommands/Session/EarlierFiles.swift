internal import Base
internal import FoundationEssentials
internal import Push

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
        guard await git.output("rev-parse", "--verify", "HEAD^{commit}") != nil else {
            throw Failure(
                .usage, "--changed-since: the files are in no git checkout with a commit, or git is not installed")
        }
        let commit = await git.output("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        let isShallow = await git.output("rev-parse", "--is-shallow-repository")?.trimmingSpaces == "true"
        let advice =
            isShallow ? "; the clone is shallow: fetch the history (fetch-depth: 0, or git fetch --unshallow)" : ""
        guard let commit = commit?.trimmingSpaces else {
            throw Failure(.usage, "--changed-since: git knows no commit \(quoted(revision))\(advice)")
        }
        guard let base = await git.output("merge-base", commit, "HEAD")?.trimmingSpaces else {
            throw Failure(.usage, "--changed-since: HEAD shares no commit with \(quoted(revision))\(advice)")
        }
        self.base = base
        let moves = await git.output(
            "diff", "--relative", "--diff-filter=R", "--name-status", "-M", "-z", base, "--", ".")
        let words = (moves ?? "").split(separator: "\0").map(String.init)
        renamed = Dictionary(
            stride(from: 0, to: words.count - words.count % 3, by: 3).map { (words[$0 + 1], words[$0 + 2]) }
        ) { first, _ in first }
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
