import Base
import Foundation
import PushServer
import Testing

/// The workflows and the action of `examples/ci/github`, run as GitHub runs them.
@Suite struct GitHubRecipeTests {
    static let files = ["a.yaml": String.giants, "one.yaml": String.campaign("one")]

    /// Runs a test in a repository of its own.
    static func run(
        _ files: [String: String] = files, _ test: (Checkout, Forge, GitHubRunner) async throws -> Void
    ) async throws {
        try await World.run { world in
            try await world.devices(1)
            let checkout = try await Checkout(world, files)
            try await Forge.run { forge in try await test(checkout, forge, GitHubRunner(checkout, forge)) }
        }
    }

    @Test func aPullRequestHasOneCommentThatEveryPushReplaces() async throws {
        try await Self.run { checkout, forge, github in
            let first = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            #expect(first.code == 0, "\(first.log)")
            #expect(forge.comments.count == 1)
            let comment = try #require(forge.comments.first)
            #expect(comment.body.hasPrefix("<!-- bugle:plan -->\n"))
            #expect(comment.body.contains("▶ <b>one</b>"), "\(comment.body)")
            #expect(comment.body.contains("`0123456789`"))
            #expect(comment.body.contains("https://github.example/example/push/runs/1/artifacts/"))
            #expect(first.summary == comment.body)
            try checkout.write("two.yaml", .campaign("two"))
            try await checkout.commit()
            let second = try await github.run("plan", of: "pull-request.yml", run: 2, fork: false)
            #expect(second.code == 0, "\(second.log)")
            #expect(forge.comments.map(\.id) == [comment.id])
            #expect(forge.comments[0].body.contains("▶ <b>two</b>"))
            #expect(try await checkout.world.ledger() == [:], "a plan sends nothing")
        }
    }

    @Test func aCommentOfSomebodyElseWithTheMarkerIsNotTouched() async throws {
        try await Self.run { _, forge, github in
            let hostile = (1...120).map {
                Forge.Comment(id: $0, author: "stranger\($0)", body: "<!-- bugle:plan -->\nnothing to see")
            }
            forge.with { $0.comments = hostile }
            for number in 1...2 {
                let run = try await github.run("plan", of: "pull-request.yml", run: number, fork: false)
                #expect(run.code == 0, "\(run.log)")
            }
            #expect(Array(forge.comments.prefix(120)) == hostile)
            #expect(forge.comments.count == 121, "the second run finds the first one's comment on the second page")
        }
    }

    @Test func anInvalidConfigurationIsCommentedAndFails() async throws {
        try await Self.run { checkout, forge, github in
            try checkout.write("one.yaml", .campaign("one") + "chanels: [Giants]\n")
            try await checkout.commit()
            let plan = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            #expect(plan.code == 3)
            #expect(forge.comments.count == 1)
            #expect(forge.comments[0].body.contains("chanels"))
            #expect(forge.comments[0].body.contains("Exit code 3"))
            let validated = try await github.run("validate", of: "pull-request.yml", run: 2, fork: false)
            #expect(validated.code == 3)
            #expect(validated.log.contains("::error file=campaigns/one.yaml,line=6"), "\(validated.log)")
        }
    }

    @Test func aBlockedPlanIsCommentedAndFails() async throws {
        let everybody = String.campaign("one").replacingOccurrences(
            of: "{channels: [Giants], platforms: [ios]}", with: "{everyone: true}")
        try await Self.run(["one.yaml": everybody]) { _, forge, github in
            let plan = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            #expect(plan.code == 6, "\(plan.log)")
            #expect(forge.comments.count == 1)
            #expect(forge.comments[0].body.contains("Exit code 6"))
        }
    }

    @Test func anUnknownOutcomeIsCommentedAndFails() async throws {
        try await Self.run { checkout, forge, github in
            try await Self.leaveUnknown(checkout)
            let plan = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            #expect(plan.code == 7, "\(plan.log)")
            #expect(forge.comments.count == 1)
            #expect(forge.comments[0].body.contains("Exit code 7"))
        }
    }

    /// A delivery of which nobody knows what became of it.
    static func leaveUnknown(_ checkout: Checkout) async throws {
        let run = try await Program.run(
            ["apply", "-C", "campaigns", "--auto-approve"], environment: Checkout.secrets, folder: checkout.folder)
        #expect(run.status == 0, "\(run.everything)")
        let world = checkout.world
        let entry = try #require(try await world.call("GET", "/classes/BugleLedger")["results"]?.array?.first)
        let id = try #require(entry["objectId"]?.string)
        _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", ["state": "unknown"])
    }

    @Test func whenThereIsNoPlanTheCommentSaysSo() async throws {
        try await Self.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            let workspace = checkout.folder.appending(path: "campaigns/bugle.yaml")
            let text = try String(contentsOf: workspace, encoding: .utf8)
            try checkout.write("bugle.yaml", text.replacingOccurrences(of: "LEANCLOUD_MASTER_KEY", with: "NO_SUCH_KEY"))
            let plan = try await github.run("plan", of: "pull-request.yml", run: 2, fork: false)
            #expect(plan.code == 4, "\(plan.log)")
            #expect(forge.comments.count == 1)
            #expect(forge.comments[0].body.contains("xit code 4"), "\(forge.comments[0].body)")
            #expect(!forge.comments[0].body.contains("1 device"), "an older plan is not left standing")
        }
    }

    @Test func aMergeAppliesThePlanThatWasReviewedOnce() async throws {
        try await Self.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            // A merge commit, a squash and a rebase all leave the folder as it was planned.
            try await checkout.commit()
            let applied = try await github.run("apply", of: "apply.yml", run: 2)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
            #expect(forge.artifacts.contains { $0.name == "bugle-result-plan" })
            let again = try await github.run("apply", of: "apply.yml", run: 2)
            #expect(again.code == 9)
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aPlanThatDoesNotHoldIsMadeAnewAndAppliedOnlyWhenAPersonNamesIt() async throws {
        try await Self.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            try checkout.write("one.yaml", .campaign("one", body: "changed"))
            try await checkout.commit()
            for run in [2, 2] {
                let stopped = try await github.run("apply", of: "apply.yml", run: run)
                #expect(stopped.code == 9, "\(stopped.log)")
                #expect(stopped.summary.contains("plan-run 2"))
                // Whoever merged it learns where it was reviewed that nothing was sent.
                #expect(forge.comments[0].body.contains("**Exit code 9**"), "\(forge.comments)")
                #expect(try await checkout.world.ledger() == [:])
                #expect(try await checkout.world.inbox("d0") == [:])
            }
            let reviewed = try await github.run("apply", of: "apply.yml", run: 3, inputs: ["plan-run": "2"])
            #expect(reviewed.code == 0, "\(reviewed.log)")
            #expect(try await checkout.world.inbox("d0") == ["changed": 1])
            #expect(forge.comments.count == 1 && forge.comments[0].body.contains("1 push sent to 1 simulated device"))
        }
    }

    @Test func aRunIsNamedByItsNumber() async throws {
        try await Self.run { checkout, forge, github in
            for run in ["1; curl evil", "../2", "x"] {
                let stopped = try await github.run("apply", of: "apply.yml", run: 3, inputs: ["plan-run": .string(run)])
                #expect(stopped.code != 0)
            }
            #expect(forge.requests == [])
            #expect(try await checkout.world.ledger() == [:])
        }
    }

    @Test func aForksPlanIsNotApplied() async throws {
        try await Self.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            forge.with { state in
                state.artifacts = state.artifacts.map {
                    Forge.Artifact(
                        id: $0.id, name: $0.name, run: $0.run, repository: 99, head: $0.head, files: $0.files)
                }
            }
            let stopped = try await github.run("apply", of: "apply.yml", run: 2)
            #expect(stopped.code == 9, "\(stopped.log)")
            #expect(try await checkout.world.inbox("d0") == [:])
        }
    }

    @Test func aPlanOfACommitThatNobodyApprovedIsNotApplied() async throws {
        try await Self.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            let approved = try #require(forge.artifacts.first?.head)
            // What was pushed after the approval has a plan too.
            try checkout.write("one.yaml", .campaign("one", body: "unseen"))
            try await checkout.commit()
            _ = try await github.run("plan", of: "pull-request.yml", run: 2, fork: false)
            forge.with { $0.approved = [approved] }
            let stopped = try await github.run("apply", of: "apply.yml", run: 3)
            #expect(stopped.code == 9, "\(stopped.log)")
            #expect(stopped.log.contains("approved"))
            #expect(try await checkout.world.inbox("d0") == [:])
        }
    }

    @Test func anApprovalAfterTwoHundredReviewsCounts() async throws {
        try await Self.run { checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            forge.with { $0.reviewsBefore = 200 }
            let applied = try await github.run("apply", of: "apply.yml", run: 2)
            #expect(applied.code == 0, "\(applied.log)")
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aForkHasNoSecretAndNeverCallsTheAPI() async throws {
        try await Self.run { checkout, forge, github in
            _ = checkout.world.takeSeen()
            let validated = try await github.run("validate", of: "pull-request.yml", run: 1, fork: true)
            #expect(validated.ran)
            #expect(validated.code == 0, "\(validated.log)")
            #expect(try await !github.run("plan", of: "pull-request.yml", run: 1, fork: true).ran)
            #expect(forge.requests == [])
            #expect(checkout.world.takeSeen().isEmpty)
            #expect(!github.exposed.isEmpty)
            for environment in github.exposed {
                #expect(!environment.values.contains { $0.contains(World.masterKey) || $0.contains(Forge.token) })
            }
        }
    }

    @Test func theTimerSendsNothingThatHasNoTime() async throws {
        try await Self.run { checkout, forge, github in
            let due = try await github.run("due", of: "due.yml", run: 1)
            #expect(due.code == 0, "\(due.log)")
            #expect(forge.requests == [])
            #expect(try await checkout.world.inbox("d0") == [:])
        }
    }

    /// How often the threads of a process and of its children have had a processor.
    private static func turns(of process: Substring) -> Int {
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        var count = 0
        for task in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? [] {
            let folder = "/proc/\(process)/task/\(task)"
            count += text(folder + "/schedstat").split { $0.isWhitespace }.last.flatMap { Int($0) } ?? 0
            for child in text(folder + "/children").split(separator: " ") { count += turns(of: child) }
        }
        return count
    }

    /// Returns when what a script runs had time to look for a file: bugle does so every 200 ms, which nobody can see
    /// from outside, but that it has had the processor some more times.
    private static func hasLooked(_ script: Int32) async {
        let before = turns(of: "\(script)")
        repeat { try? await Task.sleep(for: .seconds(1)) } while turns(of: "\(script)") < before + 10
    }

    @Test func aCancelledApplyEndsTheChangeInFlight() async throws {
        try await Self.run(["a.yaml": .giants, "one.yaml": .campaign("one"), "two.yaml": .campaign("two")]) {
            checkout, forge, github in
            _ = try await github.run("plan", of: "pull-request.yml", run: 1, fork: false)
            let script = Started()
            checkout.world.onRequest { request, instant in
                // The first push is in the server's hands: the job is cancelled, twice, as GitHub does.
                guard request.path == "/1.1/push", request.method == "POST", instant == .beforeHandling else { return }
                script.signal(SIGINT)
                script.signal(SIGTERM)
                await checkout.hasStopFile()
                await Self.hasLooked(script.id)
            }
            let applied = try await github.run("apply", of: "apply.yml", run: 2) { script.id = $0 }
            checkout.world.onRequest(nil)
            #expect(applied.code == 8, "\(applied.log)")
            #expect(try await checkout.world.ledger() == ["one": "sent"])
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
            let told = forge.comments[0].body
            // The server may have counted by the one look that an apply still takes.
            let words = /Applied: 1 push sent( and not counted yet| to 1 simulated device), 1 created, 1 skipped\./
            #expect(told.contains(words), "\(told)")
            #expect(told.contains("**Exit code 8**") && applied.summary == told, "\(told)")
        }
    }
}
