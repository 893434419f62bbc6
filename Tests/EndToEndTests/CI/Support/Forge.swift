import Base
import Foundation
import HTTPTesting
import Synchronization

/// A small GitHub and GitLab: the calls that the recipes make, for one repository and one pull request.
final class Forge: Sendable {
    struct Comment: Hashable {
        let id: Int
        var author: String
        var body: String
    }

    struct Artifact {
        let id: Int
        let name: String
        let run: Int
        let repository: Int
        let head: String
        var files: [String: Data]
    }

    struct State {
        var comments: [Comment] = []
        var artifacts: [Artifact] = []
        var packages: [String: Data] = [:]
        /// The commits that reviewers approved; nil: all that were planned.
        var approved: [String]?
        /// How many reviews came before these.
        var reviewsBefore = 0
        /// What GitLab says of approvals; empty: it says nothing.
        var approvalSettings = #"{"reset_approvals_on_push": true}"#
        /// Whether the token may not write comments.
        var refusesComments = false
        /// What else is answered, by path.
        var answers: [String: JSONValue] = [:]
        var requests: [String] = []
        var nextID = 1000
    }

    static let token = "forge-token-2b7e1516"
    static let repository = 42
    /// Who the token writes as.
    static let bot = "github-actions[bot]"

    private let state = Mutex(State())
    private let port = Mutex(0)

    /// Runs a test with one.
    static func run<Value>(_ body: (Forge) async throws -> Value) async throws -> Value {
        let forge = Forge()
        return try await TestServer.run(.plain, Script { forge.reply(to: $0) }) { server in
            forge.port.withLock { $0 = server.port }
            return try await body(forge)
        }
    }

    var url: String { "http://127.0.0.1:\(port.withLock { $0 })" }
    var comments: [Comment] { state.withLock { $0.comments } }
    /// What was asked of it: methods and paths.
    var requests: [String] { state.withLock { $0.requests } }
    var artifacts: [Artifact] { state.withLock { $0.artifacts } }
    var packages: [String: Data] { state.withLock { $0.packages } }

    func with<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// What `actions/upload-artifact` does, with `overwrite`.
    func upload(_ name: String, run: Int, repository: Int, head: String, _ files: [String: Data]) -> Int {
        with { state in
            state.nextID += 1
            state.artifacts.removeAll { $0.name == name && $0.run == run }
            state.artifacts.append(
                Artifact(id: state.nextID, name: name, run: run, repository: repository, head: head, files: files))
            return state.nextID
        }
    }

    private func reply(to request: Seen) -> Reply {
        let answer = with { state -> Answer in
            state.requests.append("\(request.method) \(request.path)")
            let headers = request.headers
            let hasToken = [headers["authorization"], headers["private-token"], headers["job-token"]]
                .contains { $0?.hasSuffix(Self.token) == true }
            if request.path.hasPrefix("/storage/") {
                // Somebody else's machine: no secret may come here.
                return hasToken ? Answer(400, Data()) : Answer(200, state.packages[request.path] ?? Data())
            }
            guard hasToken else { return Answer(401, Data(#"{"message":"Bad credentials"}"#.utf8)) }
            return state.answer(request)
        }
        let location = answer.location.map { [("location", url + $0)] } ?? []
        return .answer(
            answer.status, headers: [("content-type", "application/json")] + location, body: Array(answer.body))
    }

    fileprivate struct Answer {
        let status: Int
        let body: Data
        var location: String?

        init(_ status: Int, _ body: Data, location: String? = nil) {
            self.status = status
            self.body = body
            self.location = location
        }

        static let notFound = Answer(404, Data(#"{"message":"Not Found"}"#.utf8))
    }
}

extension Forge.State {
    fileprivate mutating func answer(_ request: Seen) -> Forge.Answer {
        let parts = request.path.split(separator: "?", maxSplits: 1).map(String.init)
        var query: [String: String] = [:]
        for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            query[sides[0]] = sides.last
        }
        let path = parts[0]
        if let body = answers[path] {
            // A list has one page.
            return Forge.Answer(200, json(body.array != nil && (query["page"] ?? "1") != "1" ? [] : body))
        }
        if path.contains("/packages/generic/") { return package(request, path) }
        if path.hasSuffix("/actions/artifacts") { return Forge.Answer(200, artifacts(named: query["name"] ?? "")) }
        switch request.method {
        case "GET" where path.hasSuffix("/pulls"):
            let repository: JSONValue = ["id": .integer(Int64(Forge.repository))]
            return Forge.Answer(
                200,
                json([
                    [
                        "number": 7, "merged_at": "2026-11-21T12:00:00Z", "base": ["repo": repository],
                        "merge_commit_sha": commit(in: path),
                    ]
                ]))
        case "GET" where path.hasSuffix("/merge_requests"):
            return Forge.Answer(
                200,
                json([
                    [
                        "iid": 7, "id": 7000, "merged_at": "2026-11-21T12:00:00Z",
                        "target_project_id": .integer(Int64(Forge.repository)), "merge_commit_sha": commit(in: path),
                    ]
                ]))
        case "GET" where path.hasSuffix("/pulls/7/reviews"):
            let comment: JSONValue = ["state": "COMMENTED", "commit_id": "0000000000000000000000000000000000000000"]
            let approvals: [JSONValue] = (approved ?? artifacts.map(\.head)).map {
                ["state": "APPROVED", "commit_id": .string($0)]
            }
            return page(of: Array(repeating: comment, count: reviewsBefore) + approvals + [comment], query)
        case "GET" where path.hasSuffix("/projects/42/approvals"):
            return approvalSettings.isEmpty ? .notFound : Forge.Answer(200, Data(approvalSettings.utf8))
        case "GET" where path.hasSuffix("/comments") || path.hasSuffix("/notes"):
            return page(of: comments.map(shown), query)
        case "POST" where refusesComments, "PATCH" where refusesComments, "PUT" where refusesComments:
            return Forge.Answer(403, Data(#"{"message":"Resource not accessible by integration"}"#.utf8))
        case "POST" where path.hasSuffix("/issues/7/comments") || path.hasSuffix("/merge_requests/7/notes"):
            nextID += 1
            comments.append(Forge.Comment(id: nextID, author: Forge.bot, body: text(request)))
            return Forge.Answer(201, json(shown(comments[comments.count - 1])))
        case "PATCH", "PUT":
            guard let id = path.split(separator: "/").last.flatMap({ Int($0) }),
                let index = comments.firstIndex(where: { $0.id == id })
            else { return .notFound }
            comments[index].body = text(request)
            return Forge.Answer(200, json(shown(comments[index])))
        default: return .notFound
        }
    }

    /// The commit in the path of a question about one.
    private func commit(in path: String) -> JSONValue {
        .string(path.split(separator: "/").dropLast().last.map(String.init) ?? "")
    }

    private func page(of list: [JSONValue], _ query: [String: String]) -> Forge.Answer {
        let (page, size) = (Int(query["page"] ?? "") ?? 1, Int(query["per_page"] ?? "") ?? 30)
        return Forge.Answer(200, json(.array(Array(list.dropFirst((page - 1) * size).prefix(size)))))
    }

    private mutating func package(_ request: Seen, _ path: String) -> Forge.Answer {
        let stored = "/storage" + path
        if request.method == "PUT" {
            packages[stored] = Data(request.body)
            return Forge.Answer(201, Data("{}".utf8))
        }
        return packages[stored] == nil ? .notFound : Forge.Answer(302, Data(), location: stored)
    }

    private func artifacts(named name: String) -> Data {
        let found = artifacts.filter { $0.name == name }.map { artifact -> JSONValue in
            [
                "id": .integer(Int64(artifact.id)), "name": .string(artifact.name), "expired": false,
                "created_at": "2026-11-21T12:00:00Z",
                "workflow_run": [
                    "id": .integer(Int64(artifact.run)), "repository_id": .integer(Int64(Forge.repository)),
                    "head_repository_id": .integer(Int64(artifact.repository)), "head_sha": .string(artifact.head),
                ],
            ]
        }
        return json(["total_count": .integer(Int64(found.count)), "artifacts": .array(found)])
    }

    /// With the members of both APIs.
    private func shown(_ comment: Forge.Comment) -> JSONValue {
        [
            "id": .integer(Int64(comment.id)), "body": .string(comment.body), "system": false,
            "user": ["login": .string(comment.author)], "author": ["username": .string(comment.author)],
        ]
    }

    private func text(_ request: Seen) -> String { (try? JSONValue(parsing: request.body))?["body"]?.string ?? "" }

    private func json(_ value: JSONValue) -> Data { Data(value.canonicalBytes) }
}
