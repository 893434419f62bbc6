import Base
import Foundation
import Push
import Testing

/// The scripts that write who approved what was merged, against a small GitHub and GitLab.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/jq"), "the scripts need jq"))
struct ApprovalRecipeTests {
    private static let policy = "{approvals: [{when: {labels: {kind: promo}}, need: 2, from: [marketing]}]}"
    private static let merge = String(repeating: "c", count: 40)
    private static let head = String(repeating: "d", count: 40)
    private static let older = String(repeating: "e", count: 40)

    private func run(
        _ script: String, in checkout: Checkout, _ forge: Forge, _ environment: [String: String] = [:]
    ) async throws -> (run: Run, file: ApprovalFile?) {
        let given = [
            "GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "example/push", "GITHUB_REPOSITORY_ID": "42",
            "GITHUB_SHA": Self.merge, "TOKEN": Forge.token, "TEAMS_TOKEN": Forge.token, "BUGLE_TEAMS": "marketing",
            "CI_API_V4_URL": forge.url, "CI_PROJECT_ID": "42", "CI_COMMIT_SHA": Self.merge,
            "BUGLE_APPROVALS_TOKEN": Forge.token, "BUGLE_OUT": "bugle-out", "BUGLE_WORKSPACE": "campaigns",
        ]
        let run = try await ShellScript.run(
            ["/bin/sh", ".ci/bugle/\(script)"], environment: given.merging(environment) { $1 },
            folder: checkout.folder)
        let file = checkout.folder.appending(path: "bugle-out/approvals.json")
        return (run, try (try? Data(contentsOf: file)).map { try ApprovalFile.read(Array($0)) })
    }

    private static func tree(_ name: String, _ sha: String) -> JSONValue {
        [
            "tree": [
                ["path": .string(name), "type": "tree", "sha": .string(sha)],
                ["path": "a", "type": "blob", "sha": "0"],
            ]
        ]
    }

    private static func review(_ person: String, _ state: String, _ commit: String, _ minute: Int) -> JSONValue {
        [
            "user": ["login": .string(person)], "state": .string(state), "commit_id": .string(commit),
            "submitted_at": .string("2026-11-20T12:0\(minute):00Z"),
        ]
    }

    private static func prepare(_ forge: Forge, tree: String) {
        let api = "/repos/example/push"
        forge.with { state in
            state.answers = [
                "\(api)/commits/\(merge)/pulls": [
                    [
                        "number": 7, "merged_at": "2026-11-21T12:00:00Z", "merge_commit_sha": .string(merge),
                        "base": ["repo": ["id": 42]],
                    ]
                ],
                "\(api)/pulls/7": ["user": ["login": "carol"], "commits": 2],
                "\(api)/pulls/7/commits": [["author": ["login": "carol"]], ["author": ["login": "dan"]]],
                "\(api)/pulls/7/reviews": [
                    review("alice", "APPROVED", head, 1), review("bob", "APPROVED", head, 2),
                    review("bob", "COMMENTED", older, 3), review("erin", "APPROVED", older, 4),
                    review("frank", "APPROVED", head, 5), review("frank", "CHANGES_REQUESTED", head, 6),
                ],
                "\(api)/git/commits/\(head)": ["tree": ["sha": "1111"]],
                "\(api)/git/commits/\(older)": ["tree": ["sha": "2222"]],
                "\(api)/git/trees/1111": Self.tree("campaigns", tree),
                "\(api)/git/trees/2222": Self.tree("campaigns", String(repeating: "9", count: 40)),
                "/orgs/example/teams/marketing/members": [["login": "alice"], ["login": "bob"]],
            ]
        }
    }

    @Test func theReviewsOfGitHubAreTheApprovals() async throws {
        try await GitHubRecipeTests.run { checkout, forge, _ in
            let text = try String(
                contentsOf: checkout.folder.appending(path: "campaigns/bugle.yaml"), encoding: .utf8)
            #expect(text.contains("policy: {}"))
            try checkout.write("bugle.yaml", text.replacing("policy: {}", with: "policy: \(Self.policy)"))
            try await checkout.commit()
            try checkout.write(
                "sale.yaml", .campaign("sale", more: "expiration: {after: 7d}\nlabels: {kind: promo}"))
            try await checkout.commit()
            let tree = try await checkout.git("rev-parse", "HEAD:campaigns")
            Self.prepare(forge, tree: tree)
            let (run, file) = try await run("github/approvals.sh", in: checkout, forge)
            #expect(run.status == 0 && !run.everything.contains(Forge.token), "\(run.everything)")
            let found = try #require(file, "\(run.everything)")
            #expect(found.authors == ["carol", "dan"])
            let lines = found.approvals.map { approval in
                "\(approval.approver.person) \(approval.approver.teams) \(approval.tree == tree) \(approval.isDismissed)"
            }
            #expect(
                lines == [
                    #"alice ["marketing"] true false"#, #"bob ["marketing"] true false"#, "erin [] false false",
                    "frank [] true false", "frank [] true true",
                ])
            let secrets = Checkout.secrets.merging(["BUGLE_REMOTE": "production"]) { $1 }
            let planned = try await ShellScript.run(
                ["/bin/sh", ".ci/bugle/shell/bugle-ci.sh", "plan"], environment: secrets, folder: checkout.folder)
            #expect(planned.status == 0, "\(planned.everything)")
            let applied = try await ShellScript.run(
                ["/bin/sh", ".ci/bugle/shell/bugle-ci.sh", "apply"],
                environment: secrets.merging(["BUGLE_PLAN": try checkout.keepPlan()]) { $1 }, folder: checkout.folder)
            #expect(applied.status == 0, "\(applied.everything)")
            #expect(try await checkout.world.inbox("d0") == ["one": 1, "sale": 1])
        }
    }

    /// Whoever has an account may approve in a public repository: so may the author, with a second one.
    @Test(arguments: [true, false]) func inAPublicRepositoryStrangersApproveNothing(isPrivate: Bool) async throws {
        try await GitHubRecipeTests.run { checkout, forge, _ in
            Self.prepare(forge, tree: Self.head)
            let pull = "/repos/example/push/pulls/7"
            forge.with { state in
                state.answers[pull]?["base"] = ["repo": ["private": .bool(isPrivate)]]
                let reviews = state.answers["\(pull)/reviews"]?.array ?? []
                state.answers["\(pull)/reviews"] = .array(
                    reviews.map { review in
                        var review = review
                        review["author_association"] = review["user"]?["login"] == "erin" ? "MEMBER" : "NONE"
                        return review
                    })
            }
            let (run, file) = try await run("github/approvals.sh", in: checkout, forge)
            let found = try #require(file, "\(run.everything)")
            let people = found.approvals.map(\.approver.person)
            #expect(people == (isPrivate ? ["alice", "bob", "erin", "frank", "frank"] : ["alice", "bob", "erin"]))
        }
    }

    @Test func whoIsNotKnownAtGitHubApprovesNothing() async throws {
        try await GitHubRecipeTests.run { checkout, forge, _ in
            for change: JSONValue in [
                [["author": ["login": "carol"]], ["author": nil]], [["author": ["login": "carol"]]],
            ] {
                Self.prepare(forge, tree: Self.head)
                forge.with { $0.answers["/repos/example/push/pulls/7/commits"] = change }
                let (run, file) = try await run("github/approvals.sh", in: checkout, forge)
                #expect(run.status == 0 && file == nil, "\(run.everything)")
                #expect(run.errors.contains("Not every author"), "\(run.errors)")
            }
            let (pushed, none) = try await run(
                "github/approvals.sh", in: checkout, forge, ["GITHUB_SHA": Self.older])
            #expect(none == nil, "\(pushed.everything)")
        }
    }

    @Test func theApprovalsOfGitLabCountWhereItKeepsAuthorsFromApproving() async throws {
        try await GitHubRecipeTests.run { checkout, forge, _ in
            let tree = String(repeating: "7", count: 40)
            let settings: JSONValue = [
                "reset_approvals_on_push": true, "merge_requests_author_approval": false,
                "merge_requests_disable_committers_approval": true,
            ]
            forge.with { state in
                state.answers = [
                    "/projects/42/approvals": settings,
                    "/projects/42/repository/commits/\(Self.merge)/merge_requests": [
                        [
                            "iid": 3, "state": "merged", "target_project_id": 42,
                            "merge_commit_sha": .string(Self.merge),
                        ]
                    ],
                    "/projects/42/merge_requests/3": [
                        "author": ["username": "carol"], "sha": .string(Self.head),
                        "merged_at": "2026-11-21T12:00:00.000Z",
                    ],
                    "/projects/42/merge_requests/3/approvals": [
                        "approved_by": [
                            ["user": ["username": "alice"], "approved_at": "2026-11-21T11:00:00.000Z"],
                            ["user": ["username": "bob"]],
                        ]
                    ],
                    "/projects/42/repository/tree": [["name": "campaigns", "type": "tree", "id": .string(tree)]],
                    "/groups/marketing/members/all": [["username": "alice"]],
                ]
            }
            let (run, file) = try await run("gitlab/approvals.sh", in: checkout, forge)
            let found = try #require(file, "\(run.everything)")
            #expect(found.authors == ["carol"] && !run.everything.contains(Forge.token))
            #expect(found.approvals.map(\.approver.person) == ["alice", "bob"])
            #expect(found.approvals.map(\.approver.teams) == [["marketing"], []])
            #expect(found.approvals.map(\.tree) == [tree, tree])
            for name in settings.object?.keys ?? [] {
                forge.with { $0.answers["/projects/42/approvals"]?[name] = nil }
                let (refused, none) = try await self.run("gitlab/approvals.sh", in: checkout, forge)
                #expect(refused.status == 0 && none == nil, "\(name): \(refused.everything)")
                forge.with { $0.answers["/projects/42/approvals"] = settings }
            }
        }
    }

    @Test func theCheckOverAPlanObjects() async throws {
        let change: JSONValue = [
            "kind": "Campaign", "name": "sale", "action": "send", "audience": ["devices": 60_000],
            "delivery": ["expires": "after 7d"],
        ]
        var (approved, uncounted, endless) = (change, change, change)
        approved["requires"] = [["need": 2]]
        uncounted["name"] = "score"
        uncounted["audience"] = ["devices": nil]
        uncounted["delivery"] = ["expires": nil]
        endless["name"] = "banner"
        endless["audience"] = ["devices": 1]
        // As a plan has 'expiration: never'.
        endless["delivery"] = ["expires": .string(Expiration.never.reason.text)]
        let plan: JSONValue = ["changes": [change, approved, uncounted, endless]]
        let file = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID().uuidString).json")
        try Data(plan.canonicalBytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let script = RecipeFile.folder.appending(path: "policy/plan.jq").path
        let run = try await ShellScript.run(
            ["/usr/bin/jq", "--raw-output", "--from-file", script, file.path], environment: [:],
            folder: FileManager.default.temporaryDirectory)
        #expect(
            run.output == """
                sale: 60000 devices, and nobody needs to approve it
                score: its audience was not counted
                score: it never expires
                banner: it never expires

                """, "\(run.everything)")
    }
}
