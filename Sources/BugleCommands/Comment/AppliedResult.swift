internal import FoundationEssentials
internal import PushReport
internal import Base

/// What an apply did, for the comment of the pull request whose merge it carried out.
struct AppliedResult: Sendable {
    /// The results; nil when the apply left none.
    var report: ApplyReport?
    /// The page of the commit that was applied.
    var commit: PageLink?
    /// The page of the job.
    var job: PageLink?
    /// The page of the pull request.
    var pull: PageLink?

    /// Reads the results, if there are any, and finds the pages by CI's variables.
    ///
    /// - Throws: ``Failure`` when the file holds anything else.
    init(file: String, commit: String?, pull: PageLink?, _ environment: [String: String]) throws {
        report = FileManager.default.fileExists(atPath: file) ? try Self.read(file) : nil
        self.pull = pull
        var project = environment["CI_PROJECT_URL"].map { $0 + "/-" }
        if let server = environment["GITHUB_SERVER_URL"], let repository = environment["GITHUB_REPOSITORY"] {
            project = "\(server)/\(repository)"
            job = environment["GITHUB_RUN_ID"].flatMap { PageLink("\(server)/\(repository)/actions/runs/\($0)") }
        } else {
            job = environment["CI_JOB_URL"].flatMap { PageLink($0) }
        }
        self.commit = commit.flatMap { commit in project.flatMap { PageLink("\($0)/commit/\(commit)") } }
    }

    private static func read(_ file: String) throws -> ApplyReport {
        let bytes = try InputFile.read(file)
        do throws(RecordError) {
            return try ApplyReport.read(bytes)
        } catch {
            throw Failure(.failed, "\(file) is not what 'apply --json-result' writes: \(error.text(in: "it"))")
        }
    }
}
