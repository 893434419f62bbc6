import Base
import Foundation
import Testing

/// `policy.approvals` with the built program in a git repository: what was merged is sent when others approved it.
@Suite struct ApprovalTests {
    private static let policy = "{approvals: [{when: {labels: {kind: promo}}, need: 2, from: [marketing]}]}"
    private static let sale = String.campaign("sale", more: "expiration: {after: 7d}\nlabels: {kind: promo}")

    /// A world whose workspace is in git.
    private struct Repository {
        let world: World

        @discardableResult
        func git(_ arguments: String...) async throws -> String {
            let run = try await ShellScript.run(
                ["/usr/bin/git", "-c", "user.name=carol", "-c", "user.email=carol@example.com"] + arguments,
                environment: ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"],
                folder: world.folder)
            #expect(run.status == 0, "\(run.everything)")
            return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        func commit() async throws {
            try world.write(".gitignore", "*.json\n")
            try await git("add", "--all")
            try await git("commit", "--quiet", "--message", "change")
        }

        /// Merges a change as a pull request is merged; returns git's hash of the files that were reviewed.
        func merge(_ change: () throws -> Void) async throws -> String {
            try await git("checkout", "--quiet", "-B", "change")
            try change()
            try await commit()
            let tree = try await git("rev-parse", "HEAD:./")
            try await git("checkout", "--quiet", "main")
            try await git("merge", "--quiet", "--no-ff", "--message", "merge", "change")
            return tree
        }

        /// Writes approvals of these people: `name`, `name/team`, or with `!` before it a dismissed one.
        func write(_ people: [String], of tree: String) throws {
            let approvals = people.map { person -> JSONValue in
                let parts = person.drop { $0 == "!" }.split(separator: "/").map(String.init)
                return [
                    "person": .string(parts[0]), "teams": [.string(parts.count > 1 ? parts[1] : "marketing")],
                    "tree": .string(tree), "at": "2026-11-20T12:00:00Z", "dismissed": .bool(person.hasPrefix("!")),
                ]
            }
            let file: JSONValue = [
                "formatVersion": "1.0", "authors": ["carol", "dan"], "approvals": .array(approvals),
            ]
            try world.write("approvals.json", file.canonicalText)
        }

        /// Applies with approvals of these people.
        func apply(_ people: [String], of tree: String) async throws -> Run {
            try write(people, of: tree)
            return try await world.bugle(
                "apply", "--auto-approve", "--approvals", world.path("approvals.json"))
        }
    }

    private static func run(_ test: (Repository, World) async throws -> Void) async throws {
        try await World.run(["a.yaml": .giants], policy: policy) { world in
            try await world.devices(1)
            let repository = Repository(world: world)
            try await repository.git("init", "--quiet", "--initial-branch", "main")
            try await repository.commit()
            try await test(repository, world)
        }
    }

    @Test func aMergeIsHeldBackUntilEnoughOthersApprovedIt() async throws {
        try await Self.run { repository, world in
            let tree = try await repository.merge {
                try world.write("sale.yaml", Self.sale)
                try world.write("one.yaml", .campaign("one"))
            }
            let none = try await world.bugle("apply", "--auto-approve")
            #expect(none.status == 6, "\(none.everything)")
            #expect(none.output.contains("needs 2 approvals from marketing, has none; no approvals were given"))
            #expect(try await world.inbox("d0") == ["one": 1], "the others go on")
            for (people, sentence) in [
                (["alice"], "has 1 (alice)"), (["alice", "Carol"], "has 1 (alice); Carol is an author"),
                (["alice", "DAN"], "DAN is an author"), (["alice", "ALICE"], "has 1 (ALICE)"),
                (["alice", "bob/sales"], "has 1 (alice); bob is in none of these teams"),
                (["alice", "!bob"], "has 1 (alice); bob's was dismissed"),
            ] {
                let run = try await repository.apply(people, of: tree)
                #expect(run.status == 6, "\(people): \(run.everything)")
                #expect(run.output.contains(sentence), "\(people): \(run.everything)")
            }
            let older = try await repository.apply(["alice", "bob"], of: String(repeating: "0", count: 40))
            #expect(
                older.status == 6 && older.output.contains("has 1 (alice); bob's is of an older state"))
            #expect(try await world.inbox("d0") == ["one": 1])
            for _ in 0..<2 {
                let run = try await repository.apply(["alice", "bob"], of: tree)
                #expect(run.status == 0, "\(run.everything)")
            }
            #expect(try await world.inbox("d0") == ["one": 1, "sale": 1])
        }
    }

    @Test func aMergeCannotDropTheRuleByWhichItIsJudged() async throws {
        try await Self.run { repository, world in
            let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
            let tree = try await repository.merge {
                try world.write("sale.yaml", Self.sale)
                try world.write("bugle.yaml", text.replacingOccurrences(of: Self.policy, with: "{}"))
            }
            let run = try await repository.apply(["alice"], of: tree)
            #expect(run.status == 6 && run.output.contains("needs 2 approvals"), "\(run.everything)")
            // Nor with a merge after it.
            _ = try await repository.merge { try world.write("one.yaml", .campaign("one")) }
            let next = try await world.bugle("apply", "--auto-approve")
            #expect(next.status == 6 && next.output.contains("needs 2 approvals"), "\(next.everything)")
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aMergeThatIsNotWhatWasReviewedIsAnotherState() async throws {
        try await Self.run { repository, world in
            let tree = try await repository.merge { try world.write("sale.yaml", Self.sale) }
            try world.write("sale.yaml", Self.sale.replacingOccurrences(of: "body: sale", with: "body: worse"))
            try await repository.git("commit", "--quiet", "--amend", "--all", "--no-edit")
            let run = try await repository.apply(["alice", "bob"], of: tree)
            #expect(run.status == 6 && run.output.contains("is of an older state"), "\(run.everything)")
            // What is on the disk only was approved by nobody.
            try world.write("sale.yaml", Self.sale)
            let edited = try await repository.apply(["alice", "bob"], of: tree)
            #expect(edited.status == 6 && edited.output.contains("they differ from commit"), "\(edited.everything)")
            #expect(try await world.inbox("d0") == [:])
        }
    }

    @Test func aPlanSaysWhatIsNeededAndIsAppliedWithIt() async throws {
        try await Self.run { repository, world in
            let tree = try await repository.merge { try world.write("sale.yaml", Self.sale) }
            let planned = try await world.bugle("plan", "--out", world.path("plan.json"))
            #expect(planned.status == 0, "\(planned.everything)")
            #expect(planned.output.contains("requires"), "\(planned.output)")
            #expect(planned.output.contains("2 approvals from marketing"), "\(planned.output)")
            let plan = try JSONValue(parsing: Data(contentsOf: URL(filePath: world.path("plan.json"))))
            let change = try #require(plan["changes"]?.array?.first { $0["name"] == "sale" })
            #expect(change["requires"] == [["need": 2, "from": ["marketing"], "labels": ["kind": "promo"]]])
            let held = try await world.bugle("apply", world.path("plan.json"))
            #expect(held.status == 6, "\(held.everything)")
            let run = try await repository.apply(["alice", "bob"], of: tree)
            #expect(run.status == 0, "\(run.everything)")
            #expect(try await world.inbox("d0") == ["sale": 1])
        }
    }

    @Test func aSavedPlanIsAppliedWithItsApprovals() async throws {
        try await Self.run { repository, world in
            let tree = try await repository.merge { try world.write("sale.yaml", Self.sale) }
            _ = try await world.bugle("plan", "--out", world.path("plan.json"))
            for (people, status) in [(["alice", "bob"], 0), (["alice", "bob"], 9)] as [([String], Int32)] {
                try repository.write(people, of: tree)
                let run = try await world.bugle(
                    "apply", "--approvals", world.path("approvals.json"), world.path("plan.json"))
                #expect(run.status == status, "\(run.everything)")
            }
            #expect(try await world.inbox("d0") == ["sale": 1])
        }
    }

    @Test func aShallowCloneDoesNotKnowTheRules() async throws {
        try await Self.run { repository, world in
            _ = try await repository.merge { try world.write("sale.yaml", Self.sale) }
            try await repository.git("clone", "--quiet", "--depth", "1", "file://" + world.folder.path, "shallow.d")
            let run = try await world.bugle("apply", "--auto-approve", "-C", world.path("shallow.d"))
            #expect(run.status == 6 && run.output.contains("fetch-depth: 2"), "\(run.everything)")
            #expect(try await world.inbox("d0") == [:])
        }
    }

    @Test func aFileThatIsNotClearEndsTheApply() async throws {
        try await Self.run { repository, world in
            _ = try await repository.merge { try world.write("one.yaml", .campaign("one")) }
            for (text, problem) in [
                ("{", "not JSON: line 1"), (#"{"formatVersion": "1.0", "authors": []}"#, "approvals is missing"),
                (#"{"formatVersion": "1.0", "authors": ["a"], "approvals": [7]}"#, "approvals[0] has the wrong type"),
                (
                    #"{"formatVersion": "1.0", "authors": ["a"], "approvals": [{"person": "b", "person": "c"}]}"#,
                    "a name twice"
                ),
                (String(repeating: " ", count: 2 << 20), "too long"),
            ] {
                try world.write("approvals.json", text)
                let run = try await world.bugle("apply", "--auto-approve", "--approvals", world.path("approvals.json"))
                #expect(run.status == 3, "\(run.everything)")
                #expect(run.errors.contains("approvals.json: ") && run.errors.contains(problem), "\(run.errors)")
            }
            let absent = try await world.bugle("apply", "--auto-approve", "--approvals", world.path("none.json"))
            #expect(absent.status == 1, "\(absent.everything)")
            #expect(try await world.inbox("d0") == [:])
        }
    }
}
