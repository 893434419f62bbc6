internal import CLibrary
internal import Push

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
