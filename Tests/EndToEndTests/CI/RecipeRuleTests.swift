import Base
import Foundation
import Testing

/// What holds of every recipe as it is written.
@Suite struct RecipeRuleTests {
    private func jobs(_ workflow: String) throws -> JSONObject {
        try #require(try RecipeFile.single(workflow)["jobs"]?.object)
    }

    @Test(arguments: RecipeFile.workflows)
    func noWorkflowRunsWithMoreThanItNeeds(workflow: String) throws {
        let file = try RecipeFile.single(workflow)
        #expect(!file.texts().contains { $0.text.contains("pull_request_target") || $0.text == "workflow_run" })
        let allowed: JSONObject = [
            "github/workflows/pull-request.yml": ["contents": "read"],
            "github/workflows/apply.yml": ["contents": "read", "actions": "read", "pull-requests": "write"],
            "github/workflows/due.yml": ["contents": "read"],
        ]
        #expect(file["permissions"] == allowed[workflow])
        for (name, job) in try jobs(workflow) {
            let more = job["permissions"]
            #expect(more == nil || (name == "plan" && more == ["contents": "read", "pull-requests": "write"]))
            #expect(job["timeout-minutes"]?.integer != nil)
        }
    }

    @Test func whatRunsForForksHasNoSecret() throws {
        for (name, job) in try jobs("github/workflows/pull-request.yml") {
            let refusesForks = job["if"] == "github.event.pull_request.head.repo.full_name == github.repository"
            let secrets = job.texts().filter { $0.text.contains("secrets.") || $0.text.contains("vars.") }
            #expect(refusesForks || (secrets.isEmpty && job["environment"] == nil), "\(name)")
        }
        let gitlab = try GitLabRunner.jobs(["image": "any", "comment-author": "bot"])
        for (name, job) in gitlab where job["environment"] != nil {
            let rules = job["rules"]?.array?.compactMap { $0["if"]?.string } ?? []
            let refuses = rules.allSatisfy { rule in
                rule.contains("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID")
                    || (rule.contains("$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH") && !rule.contains("merge_request"))
            }
            #expect(!rules.isEmpty && refuses, "\(name)")
        }
    }

    @Test func appliesAreSerialisedAndNeverCancelled() throws {
        for workflow in ["github/workflows/apply.yml", "github/workflows/due.yml"] {
            for job in try jobs(workflow).values {
                #expect(job["concurrency"]?["cancel-in-progress"] == false)
                #expect(job["concurrency"]?["group"]?.string?.hasSuffix("-production") == true)
                #expect(job["environment"]?.string?.hasPrefix("production") == true)
                #expect(job["timeout-minutes"] == 360)
                // Of the step that needs them, not of those that fetch and keep files.
                #expect(job["env"] == nil)
                let steps = job["steps"]?.array?.filter { $0["env"] != nil } ?? []
                #expect(steps.map { $0["uses"] } == ["./.ci/bugle/github"])
                #expect(steps.first?["env"]?["BUGLE_TRUSTED_HOSTS"] == "${{ vars.BUGLE_TRUSTED_HOSTS }}")
            }
        }
        #expect(try jobs("github/workflows/apply.yml")["apply"]?["if"] == "github.ref == 'refs/heads/main'")
        let gitlab = try GitLabRunner.jobs(["image": "any", "comment-author": "bot", "remote": "apple"])
        for name in ["bugle-apply", "bugle-due"] {
            #expect(gitlab[name]?["resource_group"] == "bugle-apple")
            #expect(gitlab[name]?["interruptible"] == false)
            #expect(gitlab[name]?["environment"]?["name"] == "apple")
        }
    }

    /// The files decide what it sends, and not what an apply has seen of them.
    @Test func whoCopiesATimerReadsThatItAsksNobody() throws {
        let workflow = try RecipeFile.text("github/workflows/due.yml")
        #expect(workflow.contains("It asks nobody") && workflow.contains("policy.approvals"))
        let timers = [
            "examples/ci/github/workflows/due.yml", "examples/ci/gitlab/templates/bugle.yml",
            "examples/kubernetes/due.yaml", ".ci/debian/bugle-due@.service", "docs/server/running.md",
        ]
        for path in timers { #expect(try !text(path).contains("what was applied and has waited"), "\(path)") }
    }

    @Test func noExpressionStandsInAScript() throws {
        for file in RecipeFile.workflows + ["github/action.yml"] {
            for (path, text) in try RecipeFile.single(file).texts() where path.hasSuffix("/run") {
                #expect(!text.contains("${{"), "\(file) \(path)")
            }
        }
        for document in try RecipeFile.yaml("gitlab/templates/bugle.yml") {
            for (path, text) in document.texts() where path.contains("script") {
                #expect(!text.contains("$[["), "\(path)")
            }
        }
    }

    @Test func actionsArePinnedByCommit() throws {
        for file in RecipeFile.workflows + ["github/action.yml"] {
            for (path, text) in try RecipeFile.single(file).texts() where path.hasSuffix("/uses") {
                let isPinned = text.wholeMatch(of: /actions\/[a-z-]+@[0-9a-f]{40}/) != nil
                #expect(isPinned || text == "./.ci/bugle/github", "\(file): \(text)")
            }
            // A person reads the version behind the commit.
            for line in try RecipeFile.text(file).split(separator: "\n") where line.contains("uses: actions/") {
                #expect(line.contains(#/ # v[0-9]+\.[0-9]+\.[0-9]+$/#), "\(file): \(line)")
            }
        }
    }

    /// The project's own workflows; that of a release hands out what others run.
    @Test(arguments: ["ci", "macos", "release"]) func theProjectsWorkflowsFollowTheSameRules(name: String) throws {
        let text = try text(".github/workflows/\(name).yml")
        let file = try #require(try RecipeFile.documents(text, name).first)
        #expect(file["permissions"] == ["contents": "read"])
        for (path, text) in file.texts() {
            if path.hasSuffix("/run") { #expect(!text.contains("${{"), "\(path)") }
            if path.hasSuffix("/uses") { #expect(text.contains(/^actions\/[a-z-]+@[0-9a-f]{40}$/), "\(text)") }
        }
        for (name, job) in file["jobs"]?.object ?? [:] {
            #expect(job["timeout-minutes"]?.integer != nil)
            #expect(name == "release" || job["permissions"]?["contents"] != "write")
        }
    }

    @Test func aPullRequestRunsEveryStage() throws {
        let file = try #require(try RecipeFile.documents(try text(".github/workflows/ci.yml"), "ci").first)
        let run = file.texts().filter { $0.path.hasSuffix("/run") && $0.text.hasPrefix("./.ci/run ") }
            .flatMap { $0.text.split(separator: " ").dropFirst() }
        let stages = try #require(try text(".ci/run").firstMatch(of: /stages=\(([a-z -]+)\)/)).1.split(separator: " ")
        #expect(Set(run) == Set(stages + ["walk"]) && run.count == stages.count + 1, "\(run)")
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: ExamplesTests.root.appending(path: path), encoding: .utf8)
    }

    /// A team's own lines for many apps, as the pages show them.
    @Test(arguments: ["github", "gitlab"], ["", ".zh-CN"])
    func manyAppsNeedAtMost15LinesOfWhatTheRecipesTake(forge: String, language: String) throws {
        let page = ExamplesTests.root.appending(path: "docs/ci/\(forge)\(language).md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let block = try #require(
            text.components(separatedBy: "```yaml\n").last?.components(separatedBy: "```").first)
        #expect(block.contains("all: \"true\"") && block.split(separator: "\n").count <= 15)
        let steps = try #require(try RecipeFile.documents(block, "page").first)
        let known: [String]
        let used: [String]
        if forge == "github" {
            known = try RecipeFile.single("github/action.yml")["inputs"]?.object.map { Array($0.keys) } ?? []
            used = steps.array?.flatMap { $0["with"]?.object.map { Array($0.keys) } ?? [] } ?? []
        } else {
            known =
                try RecipeFile.yaml("gitlab/templates/bugle.yml").first?["spec"]?["inputs"]?.object
                .map { Array($0.keys) } ?? []
            used = steps["include"]?.array?.first?["inputs"]?.object.map { Array($0.keys) } ?? []
        }
        #expect(!used.isEmpty && Set(used).isSubset(of: known), "\(used)")
    }

    @Test func theRecipesInTheRepositoryPinNoRelease() throws {
        // The release's own copy holds the pins: a hash cannot stand in what it is made of.
        let pins = try RecipeFile.text("shell/release").split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(pins == ["version=", "address=", "sha256_amd64=", "sha256_arm64="])
    }

    @Test func codeOwnersCoverWhatDecides() throws {
        let owned = try RecipeFile.text("CODEOWNERS").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != " " }) }
        for needed in [
            "/campaigns/", "/.github/", "/.gitlab-ci.yml", "/.ci/", "/CODEOWNERS", "*.p12", "*.p8", "*.pem",
        ] {
            #expect(owned.contains(needed))
        }
    }
}
