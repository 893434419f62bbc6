internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport

/// What the API of GitHub or GitLab answered, as saved by a script.
enum ForgeAnswer {
    /// Returns the number of the pull request that was merged into a repository, as a commit if that is given; nil
    /// when there is none.
    ///
    /// - Throws: ``Failure`` when the file holds anything but a list.
    static func pull(file: String, into repository: Int64, as commit: CommitHash?) throws -> Int64? {
        let found = try list(file, "a list of pull requests", \.array).first { pull in
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
        let reviews = try list(file, "a list of reviews", \.array).filter { $0["state"]?.string == "APPROVED" }
        return Set(reviews.compactMap { $0["commit_id"]?.string })
    }

    /// Returns the id of the oldest comment with the marker by this author, of one page of a list; nil when there is
    /// none.
    ///
    /// The author must match as well as the marker: anybody can write a comment that begins with it.
    ///
    /// - Throws: ``Failure`` when the file holds anything else, such as an API error.
    static func comment(file: String, with marker: CommentMarker, by author: String) throws -> Int64? {
        try list(file, "a list of comments", \.objects).filter { comment in
            guard let body = comment["body"]?.string, comment["system"]?.bool != true else { return false }
            let writer = comment["user"]?["login"]?.string ?? comment["author"]?["username"]?.string
            return writer?.lowercased() == author.lowercased() && marker.begins(body)
        }
        .compactMap { $0["id"]?.integer }.filter { $0 > 0 }.min()
    }

    /// Finds the workflow run of the newest unexpired artifact with a name, in one page of GitHub's list.
    ///
    /// - Parameters:
    ///   - file: the list.
    ///   - name: the artifact's name.
    ///   - repository: the repository whose own runs count: artifacts of a fork's pull request are in the same list.
    ///   - heads: the commits of which one must be the head of the run; nil for any.
    /// - Returns: the id of the run; nil when there is none.
    /// - Throws: ``Failure`` when the file holds anything else, such as an API error.
    static func run(file: String, of name: String, repository: Int64, heads: Set<String>?) throws -> Int64? {
        let artifacts = try list(file, "a list of artifacts") { $0["artifacts"]?.objects }
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
    private static func age(_ artifact: JSONValue) -> (String, Int64) {
        (artifact["created_at"]?.string ?? "", artifact["id"]?.integer ?? 0)
    }

    /// The list that a file holds; an API's own message is told when it holds another thing.
    private static func list(
        _ file: String, _ what: String, _ elements: (JSONValue) -> [JSONValue]?
    ) throws -> [JSONValue] {
        let bytes = try InputFile.read(file)
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Failure(.failed, "\(file) is not what the API answers: \(error.description)")
        }
        if let found = elements(value) { return found }
        let said = value["message"]?.string ?? value["error"]?.string
        throw Failure(.failed, "\(file) is not \(what)\(said.map { ", the API says '\($0)'" } ?? "")")
    }
}

extension JSONValue {
    /// The elements of a list of objects; nil for any other value.
    fileprivate var objects: [JSONValue]? {
        array.flatMap { elements in elements.allSatisfy { $0.object != nil } ? elements : nil }
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
