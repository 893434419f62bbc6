internal import Base
internal import CLibrary
internal import FoundationEssentials
internal import Push
internal import Subprocess

/// The git checkout that a workspace's folder is in.
struct GitCheckout: Sendable {
    /// The workspace's folder.
    let folder: String

    /// A file of its own for the names of a commit, instead of the checkout's; nil for that.
    var index: String?

    /// The output of a git command in the folder, at most 1 MiB; nil when git is missing, fails or says more.
    func output(_ arguments: String...) async -> String? {
        let result = try? await Subprocess.run(
            .name("git"),
            arguments: Arguments(["-C", folder, "--no-replace-objects", "--no-optional-locks"] + arguments),
            environment: index.map { .inherit.updating(["GIT_INDEX_FILE": $0]) } ?? .inherit,
            output: .string(limit: 1 << 20), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardOutput
    }
}

/// Finds out in git what approvals are judged by: the rules of the first parent, and the state of the files.
///
/// Source: docs/features/approvals.md#rules, docs/features/approvals.md#the-state.
struct ApprovalFacts: Sendable {
    private let git: GitCheckout
    private let remote: String

    /// Creates the question for a workspace's folder and one of its remotes.
    init(folder: String, remote: String) {
        git = GitCheckout(folder: folder)
        self.remote = remote
    }

    /// The facts. `base` names the commit whose rules hold; nil: the first parent of the one that is checked out.
    func input(base: String? = nil) async -> ApprovalInput {
        guard let head = await line("rev-parse", "--verify", "HEAD^{commit}") else {
            let reason = "the files are in no git checkout"
            return ApprovalInput(base: .unreadable(reason), state: .unknown(reason))
        }
        let isClean = await git.output(
            "status", "--porcelain", "--untracked-files=all", "--ignored", "--", "*.yaml", "*.yml")?.isEmpty
        // What is not committed yet would be a commit on top of this one.
        let rules = isClean == true ? await rules(before: head, named: base) : await rules(at: head)
        guard isClean == true else {
            return ApprovalInput(base: rules, state: .unknown("they differ from commit \(head.prefix(7))"))
        }
        let tree = await line("rev-parse", "--verify", "HEAD:./")
        return ApprovalInput(
            base: rules,
            state: tree.map(ApprovalInput.State.tree) ?? .unknown("commit \(head.prefix(7)) has no such folder"),
            commit: head)
    }

    private func rules(before head: String, named base: String?) async -> ApprovalInput.Base {
        if let base, let commit = await line("rev-parse", "--verify", "\(base)^{commit}") {
            return await rules(at: commit)
        }
        // A shallow clone hides the parents in what `rev-list` says, but not in the commit itself.
        guard let commit = await git.output("cat-file", "commit", head) else {
            return .unreadable("commit \(head.prefix(7)) cannot be read")
        }
        let lines = commit.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        guard let parent = lines.first(where: { $0.hasPrefix("parent ") })?.dropFirst("parent ".count) else {
            return .own
        }
        return await rules(at: String(parent))
    }

    private func rules(at commit: String) async -> ApprovalInput.Base {
        let short = commit.prefix(7)
        guard let listed = await git.output("ls-tree", commit, "--", WorkspaceLoader.marker) else {
            return .unreadable(
                "commit \(short) is not here; let the checkout have at least two commits (fetch-depth: 2)")
        }
        if listed.isEmpty { return .own }
        guard let text = await git.output("cat-file", "blob", "\(commit):./\(WorkspaceLoader.marker)"),
            let policy = WorkspaceLoader.policy(in: text, on: remote, folder: git.folder)
        else { return .unreadable("\(WorkspaceLoader.marker) of commit \(short) cannot be read") }
        return .rules(policy.approvals)
    }

    private func line(_ command: String, _ arguments: String...) async -> String? {
        switch arguments.count {
        case 1: await git.output(command, arguments[0])?.trimmingSpaces
        default: await git.output(command, arguments[0], arguments[1])?.trimmingSpaces
        }
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
        let pairs: [(String, String)] = words.indices.dropLast(2).filter { $0.isMultiple(of: 3) }
            .map { (words[$0 + 1], words[$0 + 2]) }
        renamed = Dictionary(pairs) { first, _ in first }
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

/// The commit being applied, the actor and the CI run, from CI's variables and git.
struct ApplyProvenance: Sendable {
    /// The provenance for the ledger.
    let provenance: Provenance
    /// The commit's own time; nil when git does not know it.
    let committedAt: Instant?
    /// The holder of the lock, shown to others who wait: user, host and process.
    let holder: String

    /// Reads the environment, and asks git for the commit's time; `revision` is the commit given with
    /// `--source-revision`.
    init(environment: [String: String], folder: String, revision: String?) async {
        let named = revision ?? Self.commit(environment)
        let known = await GitCheckout(folder: folder).output("show", "-s", "--format=%H %ct", named ?? "HEAD")?
            .trimmingSpaces
        let parts = known?.split(separator: " ").map(String.init) ?? []
        let commit = parts.count == 2 ? parts[0] : named
        committedAt =
            parts.count == 2
            ? Int64(parts[1]).map { Instant(seconds: $0) } : environment["CI_COMMIT_TIMESTAMP"].flatMap { Instant($0) }
        let user = environment["USER"] ?? environment["LOGNAME"] ?? "uid \(getuid())"
        provenance = Provenance(
            commit: commit.map { String($0.prefix(40)) },
            actor: environment["GITHUB_ACTOR"] ?? environment["GITLAB_USER_LOGIN"] ?? user, run: Self.run(environment))
        holder = "\(Self.run(environment).map { $0 + ", " } ?? "")\(user) on \(Self.host), process \(getpid())"
    }

    /// Finds it out for a command that names no commit.
    init(_ bench: Workbench) async {
        await self.init(environment: bench.environment, folder: bench.loaded.folder, revision: nil)
    }

    /// The commit in CI's variables.
    static func commit(_ environment: [String: String]) -> String? {
        environment["GITHUB_SHA"] ?? environment["CI_COMMIT_SHA"]
    }

    private static func run(_ environment: [String: String]) -> String? {
        if let number = environment["GITHUB_RUN_NUMBER"] { return "github run \(number)" }
        if let number = environment["CI_PIPELINE_IID"] { return "gitlab pipeline \(number)" }
        return nil
    }

    private static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown host" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
