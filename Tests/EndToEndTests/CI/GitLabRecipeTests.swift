import Foundation
import Testing

/// The component of `examples/ci/gitlab`, run with the shells that images have.
@Suite struct GitLabRecipeTests {
    static let request = ["CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "42"]
    static let push = ["CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main"]

    static func run(
        _ shell: [String], _ test: (Checkout, Forge, GitLabRunner) async throws -> Void
    ) async throws {
        try await GitHubRecipeTests.run { checkout, forge, _ in
            try await test(checkout, forge, GitLabRunner(checkout: checkout, forge: forge, shell: shell))
        }
    }

    @Test(arguments: [ShellScript.bash, ShellScript.sh])
    func aMergeRequestIsCommentedOnceAndItsPlanAppliedOnce(shell: [String]) async throws {
        try await Self.run(shell) { checkout, forge, gitlab in
            forge.with { $0.comments = [Forge.Comment(id: 1, author: "stranger", body: "<!-- bugle:plan -->")] }
            for pipeline in 1...2 {
                let plan = try await gitlab.run("bugle-plan", pipeline: pipeline, Self.request)
                #expect(plan.code == 0, "\(plan.log)")
            }
            #expect(forge.comments.count == 2)
            #expect(forge.comments[0].body == "<!-- bugle:plan -->")
            #expect(forge.comments[1].body.hasPrefix("<!-- bugle:plan -->\n"))
            #expect(forge.comments[1].body.contains("/-/jobs/3/artifacts/external_file/bugle-out/plan.html"))
            let applied = try await gitlab.run("bugle-apply", pipeline: 3, Self.push)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
            let again = try await gitlab.run("bugle-apply", pipeline: 3, Self.push)
            #expect(again.code == 9)
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aPlanThatDoesNotHoldIsMadeAnewAndAppliedOnlyWhenAPersonNamesIt() async throws {
        try await Self.run(ShellScript.sh) { checkout, _, gitlab in
            _ = try await gitlab.run("bugle-plan", pipeline: 1, Self.request)
            try checkout.write("one.yaml", .campaign("one", body: "changed"))
            try await checkout.commit()
            for _ in 1...2 {
                let stopped = try await gitlab.run("bugle-apply", pipeline: 2, Self.push)
                #expect(stopped.code == 9, "\(stopped.log)")
                #expect(stopped.log.contains("PLAN_PIPELINE=2"))
                #expect(try await checkout.world.ledger() == [:])
            }
            let byHand = ["CI_PIPELINE_SOURCE": "web", "CI_COMMIT_BRANCH": "main", "PLAN_PIPELINE": "2"]
            let reviewed = try await gitlab.run("bugle-apply", pipeline: 3, byHand)
            #expect(reviewed.code == 0, "\(reviewed.log)")
            #expect(try await checkout.world.inbox("d0") == ["changed": 1])
        }
    }

    /// Its plan is one that nobody may have seen.
    @Test(arguments: [#"{"reset_approvals_on_push": false}"#, "{}", ""])
    func whereApprovalsOutliveAPushAPersonNamesThePlan(settings: String) async throws {
        try await Self.run(ShellScript.sh) { checkout, forge, gitlab in
            forge.with { $0.approvalSettings = settings }
            _ = try await gitlab.run("bugle-plan", pipeline: 1, Self.request)
            let stopped = try await gitlab.run("bugle-apply", pipeline: 2, Self.push)
            #expect(stopped.code == 9, "\(stopped.log)")
            #expect(stopped.log.contains("remove all approvals"))
            #expect(try await checkout.world.inbox("d0") == [:])
            let byHand = ["CI_PIPELINE_SOURCE": "web", "CI_COMMIT_BRANCH": "main", "PLAN_PIPELINE": "2"]
            #expect(try await gitlab.run("bugle-apply", pipeline: 3, byHand).code == 0)
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aFileThatTheRepositoryBringsApprovesNothing() async throws {
        try await Self.run(ShellScript.sh) { checkout, _, gitlab in
            let text = try String(
                contentsOf: checkout.folder.appending(path: "campaigns/bugle.yaml"), encoding: .utf8)
            #expect(text.contains("policy: {}"))
            let policy = "policy: {approvals: [{when: {labels: {kind: promo}}, need: 1}]}"
            try checkout.write("bugle.yaml", text.replacing("policy: {}", with: policy))
            try await checkout.commit()
            try checkout.write(
                "sale.yaml", .campaign("sale", more: "expiration: {after: 7d}\nlabels: {kind: promo}"))
            try await checkout.commit()
            let tree = try await checkout.git("rev-parse", "HEAD:campaigns")
            let approval = """
                {"person": "bob", "teams": [], "tree": "\(tree)", "at": "2026-11-20T12:00:00Z", "dismissed": false}
                """
            try checkout.write(
                "../bugle-out/approvals.json",
                #"{"formatVersion": "1.0", "authors": ["carol"], "approvals": [\#(approval)]}"#)
            _ = try await gitlab.run("bugle-plan", pipeline: 1, Self.request)
            let applied = try await gitlab.run("bugle-apply", pipeline: 2, Self.push)
            #expect(applied.code == 6, "\(applied.log)")
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
        }
    }

    @Test func anInvalidConfigurationIsCommentedAndFails() async throws {
        try await Self.run(ShellScript.bash) { checkout, forge, gitlab in
            try checkout.write("one.yaml", .campaign("one") + "chanels: [Giants]\n")
            let plan = try await gitlab.run("bugle-plan", pipeline: 1, Self.request)
            #expect(plan.code == 3, "\(plan.log)")
            #expect(forge.comments.map { $0.body.contains("chanels") } == [true])
            #expect(forge.packages.isEmpty)
            let validated = try await gitlab.run("bugle-validate", pipeline: 1, Self.request)
            #expect(validated.code == 3)
        }
    }

    @Test func theTimerSendsNothingThatHasNoTime() async throws {
        try await Self.run(ShellScript.sh) { checkout, _, gitlab in
            let timer = ["CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_BRANCH": "main", "BUGLE_DUE": "1"]
            let due = try await gitlab.run("bugle-due", pipeline: 1, timer)
            #expect(due.ran && due.code == 0, "\(due.log)")
            #expect(try await checkout.world.inbox("d0") == [:])
        }
    }

    @Test func aForkHasNoSecretAndNeverCallsTheAPI() async throws {
        try await Self.run(ShellScript.sh) { checkout, forge, gitlab in
            _ = checkout.world.takeSeen()
            let fork = Self.request.merging(["CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "99"]) { $1 }
            let validated = try await gitlab.run("bugle-validate", pipeline: 1, fork)
            #expect(validated.code == 0, "\(validated.log)")
            #expect(!validated.exposed.values.contains(World.masterKey))
            #expect(validated.exposed["BUGLE_COMMENT_TOKEN"] == nil)
            for job in ["bugle-plan", "bugle-apply", "bugle-due"] {
                #expect(try await !gitlab.run(job, pipeline: 1, fork).ran)
            }
            #expect(forge.requests == [])
            #expect(checkout.world.takeSeen().isEmpty)
        }
    }
}
