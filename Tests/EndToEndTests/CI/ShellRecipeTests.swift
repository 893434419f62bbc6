import Foundation
import Testing

/// The scripts of `examples/ci/shell`, run with the shells that machines have.
@Suite struct ShellRecipeTests {
    private func run(
        _ script: String, _ arguments: String..., in checkout: Checkout, shell: String = "/bin/sh",
        _ environment: [String: String] = Checkout.secrets
    ) async throws -> Run {
        try await ShellScript.run(
            [shell, ".ci/bugle/shell/\(script)"] + arguments,
            environment: environment.merging(["BUGLE_REMOTE": "production"]) { own, _ in own }, folder: checkout.folder)
    }

    @Test(arguments: ["/bin/sh", "/bin/bash"])
    func theRecipeForAnyOtherCIPlansCommentsAndAppliesOnce(shell: String) async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let validated = try await run("bugle-ci.sh", "validate", in: checkout, shell: shell, [:])
            #expect(validated.status == 0, "\(validated.everything)")
            let planned = try await run("bugle-ci.sh", "plan", in: checkout, shell: shell)
            #expect(planned.status == 0, "\(planned.everything)")
            #expect(try await run("bugle-ci.sh", "comment", in: checkout, shell: shell, [:]).status == 0)
            let comment = try String(
                contentsOf: checkout.folder.appending(path: "bugle-out/comment.md"), encoding: .utf8)
            #expect(comment.hasPrefix("<!-- bugle:plan -->\n"))
            let plan = Checkout.secrets.merging(["BUGLE_PLAN": try checkout.keepPlan()]) { $1 }
            let applied = try await run("bugle-ci.sh", "apply", in: checkout, shell: shell, plan)
            #expect(applied.status == 0, "\(applied.everything)")
            let again = try await run("bugle-ci.sh", "apply", in: checkout, shell: shell, plan)
            #expect(again.status == 9)
            #expect(try await checkout.world.inbox("d0") == ["one": 1])
            let due = try await run("bugle-ci.sh", "due", in: checkout, shell: shell)
            #expect(due.status == 0, "\(due.everything)")
        }
    }

    @Test func oneJobIsForAnyNumberOfWorkspaces() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let own = try String(contentsOf: checkout.folder.appending(path: "campaigns/bugle.yaml"), encoding: .utf8)
            for name in ["dodgers", "mets"] {
                try checkout.write("\(name)/bugle.yaml", own.replacing("name: giants\n", with: "name: \(name)\n"))
                try checkout.write("\(name)/a.yaml", .giants)
                try checkout.write("\(name)/one.yaml", .campaign("one", body: name))
                try await checkout.commit()
            }
            let all = Checkout.secrets.merging(["BUGLE_ALL": "true", "BUGLE_SINCE": "HEAD^1"]) { $1 }
            for command in ["validate", "fmt"] {
                let run = try await run("bugle-ci.sh", command, in: checkout, all)
                #expect(run.status == 0 && run.output.contains("== mets\n"), "\(run.everything)")
                #expect(!run.output.contains("dodgers"))
            }
            let planned = try await run("bugle-ci.sh", "plan", in: checkout, all)
            #expect(planned.status == 0, "\(planned.everything)")
            #expect(try await run("bugle-ci.sh", "comment", in: checkout, all).status == 0)
            func comment() throws -> String {
                try String(contentsOf: checkout.folder.appending(path: "bugle-out/comment.md"), encoding: .utf8)
            }
            #expect(try comment().contains("1 workspace"))
            let plan = all.merging(["BUGLE_PLAN": try checkout.keepPlan()]) { $1 }
            let applied = try await run("bugle-ci.sh", "apply", in: checkout, plan)
            #expect(applied.status == 0, "\(applied.everything)")
            #expect(try await checkout.world.inbox("d0") == ["mets": 1])
            #expect(try await run("bugle-ci.sh", "result", in: checkout, plan).status == 0)
            #expect(try comment().contains("Applied: 1 push sent"))
            // Without a plan what is open in any workspace is shown anew.
            let stopped = try await run("bugle-ci.sh", "apply", in: checkout, all)
            #expect(stopped.status == 9 && stopped.output.contains("== dodgers\n"), "\(stopped.everything)")
            let due = try await run("bugle-ci.sh", "due", in: checkout, all)
            #expect(due.status == 0, "\(due.everything)")
            #expect(try await checkout.world.inbox("d0") == ["mets": 1])
        }
    }

    @Test func whatWasSentIsToldThoughThePlanOfAnotherWorkspaceDidNotHold() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let own = try String(contentsOf: checkout.folder.appending(path: "campaigns/bugle.yaml"), encoding: .utf8)
            try checkout.write("mets/bugle.yaml", own.replacing("name: giants\n", with: "name: mets\n"))
            try checkout.write("mets/a.yaml", .giants)
            try checkout.write("mets/one.yaml", .campaign("one", body: "mets"))
            try await checkout.commit()
            // They share an app, whose other deliveries might be their own.
            for folder in ["campaigns", "campaigns/mets"] {
                let started = try await Program.run(
                    ["ledger", "start", "-C", folder], environment: Checkout.secrets, folder: checkout.folder)
                #expect(started.status == 0, "\(started.everything)")
            }
            let all = Checkout.secrets.merging(["BUGLE_ALL": "true"]) { $1 }
            let planned = try await run("bugle-ci.sh", "plan", in: checkout, all)
            #expect(planned.status == 0, "\(planned.everything)")
            let plan = all.merging(["BUGLE_PLAN": try checkout.keepPlan()]) { $1 }
            try checkout.write("one.yaml", .campaign("one", body: "changed"))
            try await checkout.commit()
            let applied = try await run("bugle-ci.sh", "apply", in: checkout, plan)
            #expect(applied.status == 9, "\(applied.everything)")
            #expect(!applied.errors.contains("Nothing was applied.\n"), "\(applied.errors)")
            #expect(try await checkout.world.inbox("d0") == ["mets": 1])
            #expect(try await run("bugle-ci.sh", "result", in: checkout, plan).status == 0)
            let comment = try String(
                contentsOf: checkout.folder.appending(path: "bugle-out/comment.md"), encoding: .utf8)
            // What was done comes first, then the plan that is to be reviewed.
            let done = try #require(comment.range(of: "Applied: 1 push sent"), "\(comment)")
            #expect(comment[done.upperBound...].contains("sends 1 push to 1 device now"), "\(comment)")
            #expect(comment.contains("is valid until") && comment.contains("Whoever approves it"), "\(comment)")
            #expect(!comment.contains("**Exit code 9**") && !comment.contains("The plan that was reviewed</summary>"))
        }
    }

    @Test(arguments: ["/bin/sh", "/bin/bash"])
    func aJobThatIsTriedAgainAppliesNoPlanThatItMadeItself(shell: String) async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            // The same file, whatever it is called, whether it was there or not.
            for name in ["bugle-out/plan.json", "./bugle-out/../bugle-out/plan.json"] {
                let plan = Checkout.secrets.merging(["BUGLE_PLAN": name]) { $1 }
                for _ in 1...2 {
                    let refused = try await run("bugle-ci.sh", "apply", in: checkout, shell: shell, plan)
                    #expect(refused.status == 9, "\(refused.everything)")
                }
                #expect(try await checkout.world.ledger() == [:])
            }
            #expect(try await run("bugle-ci.sh", "plan", in: checkout, shell: shell).status == 0)
            let plan = Checkout.secrets.merging(["BUGLE_PLAN": "bugle-out/plan.json"]) { $1 }
            #expect(try await run("bugle-ci.sh", "apply", in: checkout, shell: shell, plan).status == 0)
        }
    }

    @Test func withoutAReviewedPlanNothingIsApplied() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let stopped = try await run("bugle-ci.sh", "apply", in: checkout)
            #expect(stopped.status == 9)
            #expect(stopped.errors.contains("no reviewed plan"))
            #expect(stopped.output.contains("campaign one"), "the new plan is shown")
            #expect(try await checkout.world.ledger() == [:])
        }
    }

    @Test func theProgramIsFetchedOnlyWithItsHash() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let file = checkout.folder.appending(path: "served")
            try Data("#!/bin/sh\necho served\n".utf8).write(to: file)
            let sum = try await ShellScript.run(
                ["/usr/bin/sha256sum", file.path], environment: [:], folder: checkout.folder)
            let hash = String(sum.output.prefix(64))
            let right = ["BUGLE_SOURCE": "file://\(file.path)", "BUGLE_SHA256": hash]
            let fetched = try await run("install.sh", in: checkout, right)
            #expect(fetched.status == 0, "\(fetched.everything)")
            let path = fetched.output.trimmingCharacters(in: .newlines)
            #expect(try await ShellScript.run([path], environment: [:], folder: checkout.folder).output == "served\n")
            for wrong in [
                right.merging(["BUGLE_SHA256": String(repeating: "0", count: 64)]) { $1 },
                right.merging(["BUGLE_SHA256": ""]) { $1 },
                right.merging(["BUGLE_SOURCE": "http://127.0.0.1:1/bugle"]) { $1 },
                ["BUGLE_SOURCE": "no-such-program"],
            ] {
                let refused = try await run("install.sh", in: checkout, wrong)
                #expect(refused.status != 0)
                #expect(refused.output == "", "nothing to run is named")
            }
        }
    }

    @Test func thePinnedReleaseIsFetchedAndNothingElseIsRun() async throws {
        try await GitHubRecipeTests.run { checkout, _, _ in
            let tree = checkout.folder.appending(path: "release/usr/bin")
            try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
            try Data("#!/bin/sh\necho released\n".utf8).write(to: tree.appending(path: "bugle"))
            let machine = try await ShellScript.run(
                ["/usr/bin/uname", "-m"], environment: [:], folder: checkout.folder)
            let architecture = machine.output.hasPrefix("x86_64") ? "amd64" : "arm64"
            let archive = "bugle-9.8.7-linux-\(architecture).tar.gz"
            let packed = try await ShellScript.run(
                ["/bin/tar", "-czf", archive, "--transform", "s|^release|bugle-9.8.7|", "release"],
                environment: ["PATH": "/usr/bin:/bin"], folder: checkout.folder)
            #expect(packed.status == 0, "\(packed.everything)")
            let sum = try await ShellScript.run(
                ["/usr/bin/sha256sum", archive], environment: [:], folder: checkout.folder)
            func pin(_ hash: String) throws {
                let pins = "version=9.8.7\naddress=file://\(checkout.folder.path)\nsha256_\(architecture)=\(hash)\n"
                try Data(pins.utf8).write(to: checkout.folder.appending(path: ".ci/bugle/shell/release"))
            }
            try pin(String(sum.output.prefix(64)))
            let fetched = try await run("install.sh", in: checkout, [:])
            #expect(fetched.status == 0, "\(fetched.everything)")
            let path = fetched.output.trimmingCharacters(in: .newlines)
            #expect(try await ShellScript.run([path], environment: [:], folder: checkout.folder).output == "released\n")
            for hash in [String(repeating: "0", count: 64), ""] {
                try pin(hash)
                let refused = try await run("install.sh", in: checkout, [:])
                #expect(refused.status != 0 && refused.output == "", "\(refused.everything)")
            }
        }
    }
}
