internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport

/// A response of the GitHub or GitLab API, as saved by a script.
struct APIAnswer: Sendable {
    let value: JSONValue
    private let file: String

    /// Reads a response.
    ///
    /// - Throws: ``Failure`` when the file does not exist or is not JSON.
    init(file: String) throws {
        self.file = file
        let bytes = try InputFile.read(file)
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Failure(.failed, "\(file) is not what the API answers: \(error.description)")
        }
    }

    /// Returns the error for an unexpected response, with the API's message.
    func failure(expecting what: String) -> Failure {
        let said = value["message"]?.string ?? value["error"]?.string
        return Failure(.failed, "\(file) is not \(what)\(said.map { ", the API says '\($0)'" } ?? "")")
    }
}

/// Responses of GitHub's or GitLab's API about the pull request of a commit.
enum PullRequests {
    /// Returns the number of the pull request that was merged into a repository, as a commit if that is given; nil
    /// when there is none.
    ///
    /// - Throws: ``Failure`` when the file holds anything but a list.
    static func merged(file: String, into repository: Int64, as commit: CommitHash?) throws -> Int64? {
        let found = try list(file, "a list of pull requests").first { pull in
            let target = pull["base"]?["repo"]?["id"]?.integer ?? pull["target_project_id"]?.integer
            // GitLab names the last commit of a branch that was merged without a commit of its own.
            let ends = ["merge_commit_sha", "squash_commit_sha", "sha"].compactMap { pull[$0]?.string?.lowercased() }
            return pull["merged_at"]?.string != nil && target == repository
                && (commit.map { ends.contains($0.text.lowercased()) } ?? true)
        }
        return (found?["number"] ?? found?["iid"])?.integer.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Returns the commits with an approval that has not been dismissed.
    ///
    /// - Throws: ``Failure`` when the file holds anything but a list.
    static func approved(file: String) throws -> Set<String> {
        let reviews = try list(file, "a list of reviews").filter { $0["state"]?.string == "APPROVED" }
        return Set(reviews.compactMap { $0["commit_id"]?.string })
    }

    private static func list(_ file: String, _ what: String) throws -> [JSONValue] {
        let answer = try APIAnswer(file: file)
        guard let list = answer.value.array else { throw answer.failure(expecting: what) }
        return list
    }
}

/// The comments of a pull request, as the API of GitHub or GitLab lists them.
struct CommentList: Sendable {
    private let comments: [JSONValue]

    /// Reads one page of the list.
    ///
    /// - Throws: ``Failure`` when the file holds anything else, such as an API error.
    init(file: String) throws {
        let answer = try APIAnswer(file: file)
        guard let comments = answer.value.array, comments.allSatisfy({ $0.object != nil }) else {
            throw answer.failure(expecting: "a list of comments")
        }
        self.comments = comments
    }

    /// Returns the id of the oldest comment with the marker by this author; nil when there is none.
    ///
    /// The author must match as well as the marker: anybody can write a comment that begins with it.
    func id(of marker: CommentMarker, by author: String) -> Int64? {
        comments.filter { comment in
            guard let body = comment["body"]?.string, comment["system"]?.bool != true else { return false }
            let writer = comment["user"]?["login"]?.string ?? comment["author"]?["username"]?.string
            return writer?.lowercased() == author.lowercased() && marker.begins(body)
        }
        .compactMap { $0["id"]?.integer }.filter { $0 > 0 }.min()
    }
}

/// The artifacts of a repository, as GitHub's API lists them.
struct ArtifactList: Sendable {
    private let artifacts: [JSONValue]

    /// Reads one page of the list.
    ///
    /// - Throws: ``Failure`` when the file holds anything else, such as an API error.
    init(file: String) throws {
        let answer = try APIAnswer(file: file)
        guard let artifacts = answer.value["artifacts"]?.array, artifacts.allSatisfy({ $0.object != nil }) else {
            throw answer.failure(expecting: "a list of artifacts")
        }
        self.artifacts = artifacts
    }

    /// Finds the workflow run of the newest unexpired artifact with a name.
    ///
    /// - Parameters:
    ///   - name: the artifact's name.
    ///   - repository: the repository whose own runs count: artifacts of a fork's pull request are in the same list.
    ///   - heads: the commits of which one must be the head of the run; nil for any.
    /// - Returns: the id of the run; nil when there is none.
    func run(of name: String, repository: Int64, heads: Set<String>?) -> Int64? {
        let own = artifacts.filter { artifact in
            artifact["name"]?.string == name && artifact["expired"]?.bool == false
                && artifact["workflow_run"]?["repository_id"]?.integer == repository
                && artifact["workflow_run"]?["head_repository_id"]?.integer == repository
                && heads?.contains(artifact["workflow_run"]?["head_sha"]?.string ?? "") ?? true
        }
        let run = own.max { age($0) < age($1) }?["workflow_run"]?["id"]?.integer
        return run.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The sort key: times are in UTC to the second, so they sort as text; ids break ties.
    private func age(_ artifact: JSONValue) -> (String, Int64) {
        (artifact["created_at"]?.string ?? "", artifact["id"]?.integer ?? 0)
    }
}

/// The forge's pages of a commit and of the job that runs, by CI's variables.
struct ForgePages: Sendable {
    let job: PageLink?
    private let project: String?

    init(_ environment: [String: String]) {
        if let server = environment["GITHUB_SERVER_URL"], let repository = environment["GITHUB_REPOSITORY"] {
            project = "\(server)/\(repository)"
            job = environment["GITHUB_RUN_ID"].flatMap { PageLink("\(server)/\(repository)/actions/runs/\($0)") }
        } else {
            project = environment["CI_PROJECT_URL"].map { $0 + "/-" }
            job = environment["CI_JOB_URL"].flatMap { PageLink($0) }
        }
    }

    func page(ofCommit commit: String?) -> PageLink? {
        commit.flatMap { commit in project.flatMap { PageLink("\($0)/commit/\(commit)") } }
    }
}

/// What an apply did, for the comment of the pull request whose merge it carried out.
struct AppliedResult: Sendable {
    /// The results, of one workspace or of many; nil when the apply left none.
    var report: Report?
    /// The page of the commit that was applied.
    var commit: PageLink?
    var job: PageLink?
    var pull: PageLink?

    /// Reads the results, if there are any, and finds the pages by CI's variables.
    ///
    /// - Throws: ``Failure`` when the file holds anything else.
    init(file: String, commit: String?, pull: PageLink?, _ environment: [String: String]) throws {
        report = FileManager.default.fileExists(atPath: file) ? try Self.read(file) : nil
        self.pull = pull
        let pages = ForgePages(environment)
        job = pages.job
        self.commit = pages.page(ofCommit: commit)
    }

    private static func read(_ file: String) throws -> Report {
        let bytes = try InputFile.read(file)
        do {
            guard let list = try FleetFile.read(bytes) else { return .apply(try ApplyReport.read(bytes)) }
            return .fleet(
                FleetReport(
                    try list.entries.map { entry in
                        // A workspace without results has findings, or the plan that nobody agreed to.
                        let applied = (try? ApplyReport.read(entry.written)).map(Report.apply)
                        return FleetReport.Section(
                            folder: entry.folder, try applied ?? SavedReview.read(entry.written).report,
                            message: entry.message, exitCode: entry.exitCode)
                    }))
        } catch let error as RecordError {
            throw Failure(.failed, "\(file) is not what 'apply --json-result' writes: \(error.text(in: "it"))")
        } catch let error as SavedFileError {
            throw Failure(.failed, "\(file) is not what 'apply --json-result' writes: \(error.description)")
        }
    }
}
