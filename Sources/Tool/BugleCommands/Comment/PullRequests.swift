internal import JSONValue

/// Responses of GitHub's API about the pull request of a commit.
enum PullRequests {
    /// Returns the number of the pull request that was merged into a repository; nil when there is none.
    ///
    /// - Throws: ``Failure`` when the file holds anything but a list.
    static func merged(file: String, into repository: Int64) throws -> Int64? {
        try list(file, "a list of pull requests").first {
            $0["merged_at"]?.string != nil && $0["base"]?["repo"]?["id"]?.integer == repository
        }?["number"]?.integer
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
