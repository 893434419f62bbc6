internal import Base

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
