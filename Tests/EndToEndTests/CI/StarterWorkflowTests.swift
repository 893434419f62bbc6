import Base
import Foundation
import Testing

/// The workflows that `bugle init --ci` writes.
@Suite struct StarterWorkflowTests {
    private func lines(_ path: String, in checkout: Checkout) throws -> [Substring] {
        let text = try String(contentsOf: checkout.folder.appending(path: path), encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    @Test func theWorkflowsOfGitHubPlanAPullRequestAndApplyItsMerge() async throws {
        try await GitHubRecipeTests.run { checkout, forge, github in
            let made = try await Program.run(["init", "--ci", "github"], folder: checkout.folder)
            #expect(made.status == 0, "\(made.everything)")
            #expect(try lines(".github/workflows/bugle-pull-request.yml", in: checkout).count <= 15)
            #expect(try lines(".github/workflows/bugle-apply.yml", in: checkout).count <= 15)
            try await checkout.commit()
            let fork = try await github.run("plan", of: "bugle-pull-request.yml", run: 1, fork: true)
            #expect(!fork.ran && forge.comments.isEmpty)
            let plan = try await github.run("plan", of: "bugle-pull-request.yml", run: 2, fork: false)
            #expect(plan.code == 0 && forge.comments.count == 1, "\(plan.log)")
            let applied = try await github.run("apply", of: "bugle-apply.yml", run: 3)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(forge.comments.count == 1 && forge.comments[0].body.contains("1 push sent to 1 simulated device"))
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
            let again = try await Program.run(["init", "--ci", "github"], folder: checkout.folder)
            #expect(again.status == 1 && again.errors.contains("bugle-apply.yml already exists"), "\(again.everything)")
        }
    }

    @Test func theFileOfGitLabIncludesTheComponentWithItsInputs() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let made = try await Program.run(["init", "--ci", "gitlab", "campaigns"], folder: checkout.folder)
            #expect(made.status == 0, "\(made.everything)")
            #expect(try lines(".gitlab-ci.yml", in: checkout).count <= 15)
            let text = try String(contentsOf: checkout.folder.appending(path: ".gitlab-ci.yml"), encoding: .utf8)
            let included = try #require(try RecipeFile.documents(text, "file").first?["include"]?.array?.first)
            let path = try #require(included["local"]?.string)
            #expect(FileManager.default.fileExists(atPath: checkout.folder.appending(path: path).path))
            let component = try #require(try RecipeFile.yaml("gitlab/templates/bugle.yml").first)
            let inputs = try #require(component["spec"]?["inputs"]?.object)
            let given = try #require(included["inputs"]?.object)
            for (name, _) in given { #expect(inputs[name] != nil, "\(name)") }
            for (name, input) in inputs where input["default"] == nil { #expect(given[name] != nil, "\(name)") }
            #expect(given["workspace"] == "campaigns" && given["remote"] == "production")
        }
    }

    @Test func onlyWhatAppliesHasTheSecretsOfRooms() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            func text(_ path: String) throws -> String {
                try String(contentsOf: checkout.folder.appending(path: path), encoding: .utf8)
            }
            let room = "notify: [{to: {feishu: {env: FEISHU_HOOK}, secret: {env: FEISHU_SECRET}}}]\n"
            try checkout.write("bugle.yaml", try text("campaigns/bugle.yaml") + "\n" + room)
            for forge in ["github", "gitlab"] {
                let made = try await Program.run(["init", "--ci", forge, "campaigns"], folder: checkout.folder)
                #expect(made.status == 0, "\(made.everything)")
            }
            let apply = try text(".github/workflows/bugle-apply.yml")
            for name in ["FEISHU_HOOK", "FEISHU_SECRET", "LEANCLOUD_MASTER_KEY"] {
                #expect(apply.contains("\(name): \"${{ secrets.\(name) }}\""), "\(apply)")
            }
            let pullRequest = try text(".github/workflows/bugle-pull-request.yml")
            #expect(pullRequest.contains("LEANCLOUD_MASTER_KEY") && !pullRequest.contains("FEISHU"), "\(pullRequest)")
            let scope = "# FEISHU_HOOK, FEISHU_SECRET: variables with the scope of the environment production only\n"
            #expect(try text(".gitlab-ci.yml").hasSuffix(scope))
        }
    }

    @Test func withoutAWorkspaceThereAreNoWorkflows() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let run = try await Program.run(["init", "--ci", "github", "nowhere"], folder: checkout.folder)
            #expect(run.status == 3 && run.errors.contains("'bugle init nowhere' writes a small workspace"))
        }
    }
}
