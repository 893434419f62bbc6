internal import Base
internal import CLibrary
internal import FoundationEssentials
internal import Push
internal import Subprocess
internal import SystemPackage

/// The git checkout that a workspace's folder is in.
struct GitCheckout: Sendable {
    let folder: String

    /// A file of its own for the names of a commit, instead of the checkout's; nil for that.
    var index: String?

    /// The output of a git command in the folder, at most 1 MiB; nil when git is missing, fails or says more.
    func output(_ arguments: String...) async -> String? {
        let result = try? await Subprocess.run(
            .name("git"), arguments: all(arguments),
            environment: index.map { .inherit.updating(["GIT_INDEX_FILE": $0]) } ?? .inherit,
            output: .string(limit: 1 << 20), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardOutput
    }

    /// Files of a workspace can look like a bare repository, whose `config` would say what git runs and which commit
    /// this is: only a repository in `.git`, which no commit can hold, counts.
    private func all(_ arguments: [String]) -> Arguments {
        let options = ["-c", "safe.bareRepository=explicit", "--no-replace-objects", "--no-optional-locks"]
        return Arguments(["-C", folder] + options + arguments)
    }

    struct Object: Sendable {
        /// Its hash.
        let id: String
        let content: ArraySlice<UInt8>
    }

    /// What there is under some names, asked for in one process, at most 16 MiB; nil when git is missing or fails.
    func objects(_ names: [String]) async -> [String: Object]? {
        // A line break would ask for something else, and a pipe takes 4 KiB at once.
        let names = names.filter { !$0.contains(where: \.isNewline) && $0.utf8.count < 512 }
        // Written before git begins: it may end without having read them.
        guard let pipe = try? FileDescriptor.pipe() else { return nil }
        defer { try? pipe.readEnd.close() }
        let isWritten = (try? pipe.writeEnd.writeAll(names.map { $0 + "\n" }.joined().utf8)) != nil
        guard (try? pipe.writeEnd.close()) != nil, isWritten else { return nil }
        let result = try? await Subprocess.run(
            .name("git"), arguments: all(["cat-file", "--batch"]),
            input: .fileDescriptor(pipe.readEnd, closeAfterSpawningProcess: false), output: .bytes(limit: 1 << 24),
            error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        var rest = result.standardOutput[...]
        var objects: [String: Object] = [:]
        for name in names {
            // HASH TYPE SIZE, or the name and what is wrong with it.
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 3, let size = Int(words[2]) else { continue }
            objects[name] = Object(id: String(words[0]), content: rest.prefix(size))
            rest = rest.dropFirst(size + 1)
        }
        return objects
    }
}

/// Finds out in git what approvals are judged by: the rules of the first parent, and the state of the files.
///
/// Source: docs/features/approvals.md#rules, docs/features/approvals.md#the-state.
struct ApprovalFacts: Sendable {
    /// The checkout of the workspace's folder.
    let git: GitCheckout
    let remote: String

    /// The facts. `base` names the commit whose rules hold; nil: the first parent of the one that is checked out.
    func input(base: String? = nil) async -> ApprovalInput {
        let folder = "HEAD:./"
        async let listed = git.output(
            "status", "--porcelain", "--untracked-files=all", "--ignored", "--", "*.yaml", "*.yml")
        let named = base.map { [$0] } ?? []
        let found = await git.objects([folder] + (["HEAD", "HEAD^1"] + named).flatMap(Self.names))
        let isClean = await listed?.isEmpty == true
        guard let found, let head = found[Self.names("HEAD")[0]] else {
            let reason = "the files are in no git checkout"
            return ApprovalInput(base: .unreadable(reason), state: .unknown(reason))
        }
        // What is not committed yet would be a commit on top of this one.
        guard isClean else {
            return ApprovalInput(
                base: rules(at: "HEAD", found) ?? .own, state: .unknown("they differ from commit \(head.id.prefix(7))"))
        }
        return ApprovalInput(
            base: await rules(before: head, named: base, found),
            state: found[folder].map { .tree($0.id) } ?? .unknown("commit \(head.id.prefix(7)) has no such folder"),
            commit: head.id)
    }

    /// The names of a commit, and of the rules in it.
    private static func names(_ revision: String) -> [String] {
        [revision + "^{commit}", revision + ":./" + WorkspaceLoader.marker]
    }

    private func rules(
        before head: GitCheckout.Object, named base: String?, _ found: [String: GitCheckout.Object]
    ) async -> ApprovalInput.Base {
        if let base, let rules = rules(at: base, found) { return rules }
        if let rules = rules(at: "HEAD^1", found) { return rules }
        // A shallow clone hides the parents, but not in the commit itself, and may have them all the same.
        let lines = String(decoding: head.content, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).prefix { !$0.isEmpty }
        guard let parent = lines.first(where: { $0.hasPrefix("parent ") })?.dropFirst("parent ".count) else {
            return .own
        }
        let here = await git.objects(Self.names(String(parent))) ?? [:]
        return rules(at: String(parent), here)
            ?? .unreadable(
                "commit \(parent.prefix(7)) is not here; let the checkout have at least two commits (fetch-depth: 2)")
    }

    /// The rules in a commit; nil when the commit is not here.
    private func rules(at revision: String, _ found: [String: GitCheckout.Object]) -> ApprovalInput.Base? {
        let names = Self.names(revision)
        guard let commit = found[names[0]] else { return nil }
        guard let file = found[names[1]] else { return .own }
        guard
            let policy = WorkspaceLoader.policy(
                in: String(decoding: file.content, as: UTF8.self), on: remote, folder: git.folder)
        else { return .unreadable("\(WorkspaceLoader.marker) of commit \(commit.id.prefix(7)) cannot be read") }
        return .rules(policy.approvals)
    }
}

/// The commit being applied, the actor and the CI run, from CI's variables and git.
struct ApplyProvenance: Sendable {
    let provenance: Provenance
    /// The commit's own time; nil when git does not know it, or it cannot be right.
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
            parts.count == 2 ? Self.time(parts[1]) : environment["CI_COMMIT_TIMESTAMP"].flatMap { Instant($0) }
        let user = environment["USER"] ?? environment["LOGNAME"] ?? "uid \(getuid())"
        provenance = Provenance(
            commit: commit.map { String($0.prefix(40)) },
            actor: environment["GITHUB_ACTOR"] ?? environment["GITLAB_USER_LOGIN"] ?? user, run: Self.run(environment))
        holder = "\(Self.run(environment).map { $0 + ", " } ?? "")\(user) on \(Self.host), process \(getpid())"
    }

    /// The person or job and the machine, for those who ask who did it.
    var person: String { "\(provenance.actor ?? "somebody") on \(Self.host)" }

    /// Finds it out for a command that names no commit.
    init(_ bench: Workbench) async {
        await self.init(environment: bench.environment, folder: bench.loaded.folder, revision: nil)
    }

    /// The time that git says of a commit, in seconds since 1970.
    ///
    /// Nil for one after the year 9999, as of programs that give git milliseconds: once recorded it could not be read.
    static func time(_ seconds: String) -> Instant? {
        Int64(seconds).flatMap { (0...Instant.latest.seconds).contains($0) ? Instant(seconds: $0) : nil }
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
