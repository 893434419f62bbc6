internal import Base

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
