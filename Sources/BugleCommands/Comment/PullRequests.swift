internal import Base

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
