import Base
import Foundation
import PushServer
import Testing

/// What an apply did comes back into the comment of the pull request and the job's summary, and changes no exit code.
@Suite struct ResultRecipeTests {
    private static let said = "1 push sent to 1 simulated device"

    @Test func theCommentOfTheMergedPullRequestTellsWhatWasSent() async throws {
        try await GitHubRecipeTests.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            let id = try #require(forge.comments.first?.id)
            let commit = try await checkout.commit()
            let applied = try await github.run("apply", of: "apply.yml", run: 2)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(forge.comments.map(\.id) == [id])
            let body = forge.comments[0].body
            #expect(body.hasPrefix("<!-- bugle:plan -->\n"))
            let push = try #require(
                try await checkout.world.call("GET", "/classes/BugleLedger")["results"]?.array?.first)
            let page = "\(checkout.world.url)/console/pushes/\(push["pushId"]?.string ?? "")"
            for part in [
                Self.said, "<a href=\"\(page)", "<summary>The plan that was reviewed</summary>",
                "(<https://github.example/example/push/commit/\(commit)>)",
                "(<https://github.example/example/push/actions/runs/2>)",
                "(<https://github.example/example/push/pull/7>)",
            ] {
                #expect(body.contains(part), "\(part): \(body)")
            }
            #expect(!body.contains("is valid until") && !body.contains("Exit code"))
            #expect(applied.summary == body)
        }
    }

    @Test(arguments: [ShellScript.bash, ShellScript.sh])
    func theNoteOfTheMergedRequestTellsItAtGitLabToo(shell: [String]) async throws {
        try await GitLabRecipeTests.run(shell) { checkout, forge, gitlab in
            _ = try await gitlab.run("bugle-plan", pipeline: 1, GitLabRecipeTests.request)
            let commit = try await checkout.commit()
            let applied = try await gitlab.run("bugle-apply", pipeline: 2, GitLabRecipeTests.push)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(forge.comments.count == 1)
            let body = forge.comments[0].body
            for part in [
                Self.said, "(<https://gitlab.example/example/push/-/commit/\(commit)>)",
                "(<https://gitlab.example/example/push/-/jobs/3>)",
                "(<https://gitlab.example/example/push/-/merge_requests/7>)",
            ] {
                #expect(body.contains(part), "\(part): \(body)")
            }
        }
    }

    @Test func anOutcomeThatIsUnknownIsTold() async throws {
        try await GitHubRecipeTests.run { checkout, forge, github in
            try await GitHubRecipeTests.leaveUnknown(checkout)
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            let applied = try await github.run("apply", of: "apply.yml", run: 2)
            #expect(applied.code == 7, "\(applied.log)")
            let body = forge.comments[0].body
            #expect(body.contains("Apply result") && body.contains("**Exit code 7**"), "\(body)")
            #expect(applied.summary == body)
        }
    }

    @Test func aCommentThatCannotBeWrittenIsSaidAndChangesNoCode() async throws {
        try await GitHubRecipeTests.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            let before = forge.comments
            forge.with { $0.refusesComments = true }
            let applied = try await github.run("apply", of: "apply.yml", run: 2)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(applied.log.contains("The comment of 7 could not be written"), "\(applied.log)")
            #expect(applied.summary.contains(Self.said) && forge.comments == before)
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
        }
    }

    /// A commit that was pushed without one, that of another branch's request, and one that only contains it.
    @Test(arguments: [
        "[]", #"[{"number":7,"merged_at":null,"base":{"repo":{"id":42}}}]"#,
        #"[{"number":7,"merged_at":"2026-11-21T12:00:00Z","merge_commit_sha":"0000000","base":{"repo":{"id":42}}}]"#,
        #"{"message":"Server Error"}"#,
    ])
    func withoutAPullRequestTheSummaryTellsItAlone(pulls: String) async throws {
        try await GitHubRecipeTests.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            let before = forge.comments
            let commit = try await checkout.git("rev-parse", "HEAD")
            // A plan that nobody approved is applied when a person names it.
            let path = "/repos/example/push/commits/\(commit)/pulls"
            forge.with { $0.answers[path] = [] }
            #expect(try await github.run("apply", of: "apply.yml", run: 2).code == 9)
            let answer = try JSONValue(parsing: pulls)
            forge.with { $0.answers[path] = answer }
            let applied = try await github.run("apply", of: "apply.yml", run: 3, inputs: ["plan-run": "2"])
            #expect(applied.code == 0, "\(applied.log)")
            #expect(applied.log.contains("No comment tells the result"), "\(applied.log)")
            #expect(applied.summary.contains(Self.said) && forge.comments == before)
        }
    }

    @Test func withoutATokenItIsSaidAndChangesNoCode() async throws {
        try await GitLabRecipeTests.run(ShellScript.sh) { checkout, forge, gitlab in
            _ = try await gitlab.run("bugle-plan", pipeline: 1, GitLabRecipeTests.request)
            let before = forge.comments
            let push = GitLabRecipeTests.push.merging(["BUGLE_COMMENT_TOKEN": ""]) { $1 }
            let applied = try await gitlab.run("bugle-apply", pipeline: 2, push)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(applied.log.contains("there is no token"), "\(applied.log)")
            #expect(forge.comments == before)
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
        }
    }

    // MARK: bugle comment --result

    /// A workspace whose plan was applied; its files are plan.json and result.json.
    private static func applied(
        _ files: [String: String] = GitHubRecipeTests.files, policy: String = "{}",
        _ test: (World) async throws -> Void
    ) async throws {
        try await World.run(files, policy: policy) { world in
            try await world.devices(1)
            let plan = try await world.bugle("plan", "--out", world.path("plan.json"))
            #expect(plan.status == 0, "\(plan.everything)")
            let applied = try await world.bugle("apply", "plan.json", "--json-result", world.path("result.json"))
            #expect(applied.status == 0, "\(applied.everything)")
            try await test(world)
        }
    }

    @Test func aResultWithItsPlansStaysUnderTheLimit() async throws {
        let many = (1...120).map { (name: "c\($0)", body: String(repeating: "score! 🎉 ", count: 30)) }
        let files = Dictionary(
            uniqueKeysWithValues: many.map { ("\($0.name).yaml", String.campaign($0.name, body: $0.body)) })
        let policy = "{maxSendsPerApply: 200, minimumGap: 0s}"
        try await Self.applied(["a.yaml": .giants].merging(files) { $1 }, policy: policy) { world in
            let run = try await world.bugle("comment", "--result", "result.json", "plan.json", "plan.json")
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.utf16.count <= 65_000 && run.output.utf16.count > 40_000)
            #expect(run.output.contains("120 pushes sent to 120 simulated devices"), "\(run.output.prefix(3000))")
            let folds = (
                run.output.components(separatedBy: "<details>").count,
                run.output.components(separatedBy: "</details>").count
            )
            #expect(folds.0 == folds.1)
            let chinese = try await world.bugle("comment", "--result", "result.json", "--language", "zh-Hans")
            #expect(chinese.output.contains("120 次推送已发给 120 台模拟设备"), "\(chinese.output.prefix(3000))")
        }
    }

    @Test func anApplyThatLeftNoResultIsSaid() async throws {
        try await Self.applied { world in
            let run = try await world.bugle("comment", "--result", "none.json", "--exit-code", "137", "plan.json")
            #expect(run.status == 0, "\(run.everything)")
            #expect(
                run.output.contains(
                    "**There is no result of the apply**: bugle was terminated (exit code 137). The log"),
                "\(run.output)")
            #expect(run.output.contains("▶ <b>one</b>"), "the plan stays to be looked up")
        }
    }

    @Test func aResultThatSomebodyElseWroteIsRefusedOrStaysText() async throws {
        try await Self.applied { world in
            var result = try String(contentsOf: URL(filePath: world.path("result.json")), encoding: .utf8)
            result = result.replacingOccurrences(of: "\"name\": \"one\"", with: "\"name\": \"@all <!-- x\"")
            result = result.replacingOccurrences(of: "/console/pushes/", with: "/)<script>")
            try world.write("hostile.json", result)
            let run = try await world.bugle("comment", "--result", "hostile.json")
            #expect(run.status == 0 && run.output.contains("<code>&#64;all</code> &lt;!-- x"), "\(run.everything)")
            #expect(!run.output.contains("<script") && !run.output.contains("<a "), "\(run.output)")
            for (text, because) in [("{}", "formatVersion is missing"), ("<html>", "result.json"), ("", "result.json")]
            {
                try world.write("result.json", text)
                let refused = try await world.bugle("comment", "--result", "result.json")
                #expect(refused.status == 1 && refused.output == "", "\(refused.everything)")
                #expect(refused.errors.contains(because), "\(refused.errors)")
            }
        }
    }

    @Test func whatCIsVariablesSayIsLinkedOnlyWhenItIsAnAddress() async throws {
        try await Self.applied { world in
            let hostile = [
                "GITHUB_SERVER_URL": "https://a.example/)[x", "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "1",
                "GITHUB_SHA": "0123456789abcdef",
            ]
            let run = try await world.bugle(["comment", "--result", "result.json"], environment: hostile)
            #expect(run.status == 0 && run.output.contains("Applied from `0123456789`."), "\(run.everything)")
            #expect(!run.output.contains("a.example"))
            let address = "https://a.example/)[x"
            let refused = try await world.bugle("comment", "--result", "result.json", "--pull", address)
            #expect(refused.status == 64, "\(refused.everything)")
        }
    }

    @Test func theRequestIsTheOneThatWasMergedAsTheCommit() async throws {
        let (commit, other) = ("0123456789abcdef", "fedcba9876543210")
        let github: JSONValue = [
            ["number": 1, "merged_at": "x", "merge_commit_sha": .string(other), "base": ["repo": ["id": 42]]],
            ["number": 2, "merged_at": nil, "merge_commit_sha": .string(commit), "base": ["repo": ["id": 42]]],
            ["number": 3, "merged_at": "x", "merge_commit_sha": .string(commit), "base": ["repo": ["id": 43]]],
            ["number": 4, "merged_at": "x", "merge_commit_sha": .string(commit), "base": ["repo": ["id": 42]]],
        ]
        let gitlab: JSONValue = [
            ["iid": 5, "merged_at": "x", "sha": .string(commit), "target_project_id": 43],
            ["iid": 6, "merged_at": "x", "squash_commit_sha": .string(commit), "target_project_id": 42],
        ]
        try await World.run { world in
            for (list, number) in [(github, "4\n"), (gitlab, "6\n"), ([], "")] {
                try world.write("pulls.json", list.canonicalText)
                let found = try await world.bugle(
                    "comment", "--find-pull", "pulls.json", "--repository", "42", "--commit", commit)
                #expect(found.status == 0 && found.output == number, "\(found.everything)")
            }
        }
    }
}
