internal import JSONValue

/// The artifacts of a repository, as GitHub's API lists them.
struct ArtifactList: Sendable {
    private let artifacts: [JSONValue]

    /// Reads one page of the list.
    ///
    /// - Throws: ``Failure`` when the file holds anything else, such as the API's refusal.
    init(file: String) throws {
        let answer = try APIAnswer(file: file)
        guard let artifacts = answer.value["artifacts"]?.array, artifacts.allSatisfy({ $0.object != nil }) else {
            throw answer.failure(expecting: "a list of artifacts")
        }
        self.artifacts = artifacts
    }

    /// The run that left the newest artifact of this name; nil when there is none that is still kept.
    ///
    /// - Parameters:
    ///   - repository: whose own runs count: a fork's pull request leaves its artifacts in the same list.
    ///   - heads: the commits of which one must have been its branch's head; nil: any.
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

    /// Times in UTC to the second, which order as text; ids for those of one second.
    private func age(_ artifact: JSONValue) -> (String, Int64) {
        (artifact["created_at"]?.string ?? "", artifact["id"]?.integer ?? 0)
    }
}
