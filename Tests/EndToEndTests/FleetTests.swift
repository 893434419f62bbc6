import Base
import Foundation
import ProgramTesting
import PushServer
import Synchronization
import Testing

/// `--all`: many workspaces at once, against one server.
@Suite struct FleetTests {
    /// The files of some workspaces in `apps`, one campaign each.
    private static func files(_ names: [String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: names.flatMap { name in
                [("apps/\(name)/a.yaml", String.giants), ("apps/\(name)/one.yaml", String.campaign("one", body: name))]
            })
    }

    /// Runs a test in a world with some workspaces in `apps`, and none at the top.
    private func inFleet(
        _ names: [String], _ test: (World) async throws -> Void
    ) async throws {
        try await World.run(Self.files(names)) { world in
            let one = try String(contentsOf: world.folder.appending(path: "bugle.yaml"), encoding: .utf8)
            try world.remove("bugle.yaml")
            for name in names {
                let own = one.replacing("name: giants\n", with: "name: \(name.replacing("/", with: "-"))\n")
                try world.write("apps/\(name)/bugle.yaml", own)
            }
            try await test(world)
        }
    }

    /// Says of each workspace that its ledger is new: they share an app, whose other deliveries might be its own.
    private func startLedgers(_ names: [String], _ world: World) async throws {
        try await withThrowingTaskGroup { group in
            for name in names {
                group.addTask {
                    let run = try await world.bugle("ledger", "start", "-C", "apps/\(name)")
                    #expect(run.status == 0, "\(run.everything)")
                }
            }
            try await group.waitForAll()
        }
    }

    /// What was printed of each workspace, by its folder, and what came after all of them.
    private static func sections(_ output: String) -> (of: [String: String], order: [String], summary: String) {
        var (sections, order): ([String: String], [String]) = ([:], [])
        for part in ("\n" + output).components(separatedBy: "\n== ").dropFirst() {
            let name = String(part.prefix { $0 != "\n" })
            order.append(name)
            sections[name] = String(part.dropFirst(name.count))
        }
        guard let last = order.last, let text = sections[last], let end = text.range(of: "\n\n", options: .backwards),
            let start = text[..<end.lowerBound].range(of: "\n\n", options: .backwards)
        else { return (sections, order, "") }
        // The sentence, an empty line, the table.
        sections[last] = String(text[..<start.lowerBound])
        return (sections, order, String(text[start.upperBound...]))
    }

    // MARK: Side by side

    @Test func oneBrokenWorkspaceAmong40ChangesOnlyItsOwnSectionAndTheCode() async throws {
        let names = (1...40).map { "app-\($0 < 10 ? "0" : "")\($0)" }
        try await inFleet(names) { world in
            try await world.devices(2)
            for command in [["validate"], ["plan"]] {
                let whole = try await world.bugle(command + ["--all", "-C", "apps"])
                #expect(whole.status == 0, "\(whole.everything)")
                let before = Self.sections(whole.output)
                #expect(before.order == names, "in path order")
                try world.write("apps/app-17/one.yaml", .campaign("one") + "chanels: [Giants]\n")
                let broken = try await world.bugle(command + ["--all", "-C", "apps"])
                #expect(broken.status == 3)
                let after = Self.sections(broken.output)
                #expect(after.order == names)
                for name in names where name != "app-17" { #expect(after.of[name] == before.of[name], "\(name)") }
                #expect(after.of["app-17"] != before.of["app-17"])
                #expect(broken.errors.contains("apps/app-17/one.yaml:6:1: error: unknown key 'chanels'"))
                #expect(after.summary.contains("Look at 1 of 40 workspaces: app-17."), "\(after.summary)")
                let again = try await world.bugle(command + ["--all", "-C", "apps"])
                #expect(again.output == broken.output && again.errors == broken.errors, "however they end")
                try world.write("apps/app-17/one.yaml", .campaign("one", body: "app-17"))
            }
        }
    }

    @Test func aBrokenWorkspaceKeepsNoOtherFromBeingApplied() async throws {
        let names = ["a", "b", "c"]
        try await inFleet(names) { world in
            try await world.devices(1)
            try await startLedgers(names, world)
            try world.write("apps/b/one.yaml", .campaign("one") + "chanels: [Giants]\n")
            let applied = try await world.bugle("apply", "--all", "-C", "apps", "--auto-approve")
            #expect(applied.status == 3, "\(applied.everything)")
            #expect(try await world.inbox("d0") == ["a": 1, "c": 1])
        }
    }

    @Test func whatItSaysOfOneIsWhatItSaysOfItAlone() async throws {
        try await inFleet(["a", "b"]) { world in
            try await world.devices(1)
            let alone = try await world.bugle("plan", "-C", "apps/a", "--format", "json")
            let all = try await world.bugle("plan", "--all", "-C", "apps", "--format", "json")
            let list = try #require(try JSONValue(parsing: all.output).array)
            #expect(list.map { $0["folder"] } == ["a", "b"] && list.allSatisfy { $0["exitCode"] == 0 })
            var first = try #require(list.first?.object)
            (first["folder"], first["exitCode"]) = (nil, nil)
            #expect(try JSONValue.object(first) == JSONValue(parsing: alone.output))
            let text = try await world.bugle("plan", "-C", "apps/a")
            let together = try await world.bugle("plan", "--all", "-C", "apps")
            #expect(Self.sections(together.output).of["a"]?.contains(text.output) == true, "\(together.output)")
            // One is many, too, and the folder itself is one.
            let one = try await world.bugle("plan", "--all", "-C", "apps/a", "--format", "json")
            #expect(try JSONValue(parsing: one.output).array?.map { $0["folder"] } == ["."])
        }
    }

    @Test func aWorkspaceWithinAnotherIsOneOfItsOwn() async throws {
        try await inFleet(["a", "a/inner", ".hidden", "b"]) { world in
            let run = try await world.bugle("validate", "--all", "-C", "apps")
            #expect(run.status == 0, "\(run.everything)")
            #expect(Self.sections(run.output).order == ["a", "a/inner", "b"])
            let none = try await world.bugle("validate", "--all", "-C", "apps/b/..")
            #expect(none.status == 0)
            try FileManager.default.createDirectory(
                at: world.folder.appending(path: "empty"), withIntermediateDirectories: true)
            for folder in ["empty", "nowhere"] {
                let run = try await world.bugle("plan", "--all", "-C", folder)
                #expect(run.status == 3 && run.errors.contains("[workspace-document]"), "\(run.everything)")
            }
        }
    }

    @Test func aLockOfOneDelaysNoOther() async throws {
        try await inFleet(["a", "b", "c"]) { world in
            try await world.devices(1)
            try await startLedgers(["a", "b", "c"], world)
            let (reached, ended) = (Gate(), Gate())
            world.onRequest { request, instant in
                guard request.path == "/1.1/push", instant == .beforeHandling else { return }
                reached.open()
                await ended.pass()
            }
            async let first = world.bugle("apply", "-C", "apps/b", "--auto-approve")
            await reached.pass()
            world.onRequest(nil)
            // The pushes of the others pass while that one is held.
            let all = try await world.bugle(
                "apply", "--all", "-C", "apps", "--auto-approve", "--json-result", "result.json")
            ended.open()
            #expect(try await first.status == 0)
            #expect(all.status == 11, "\(all.everything)")
            #expect(all.errors.contains("bugle unlock") && all.output.contains("Look at 1 of 3 workspaces: b."))
            #expect(try await world.inbox("d0") == ["a": 1, "b": 1, "c": 1])
            let result = try JSONValue(
                parsing: Array(try Data(contentsOf: world.folder.appending(path: "result.json"))))
            #expect(result.array?.map { $0["exitCode"] } == [0, 11, 0])
            #expect(result.array?[1]["message"]?.string?.contains("is locked by") == true)
            let comment = try await world.bugle("comment", "--result", "result.json")
            #expect(comment.output.contains("Look at 1 of 3 workspaces: b."), "\(comment.everything)")
        }
    }

    @Test func aSignalEndsAllAndBeginsNoOther() async throws {
        // More than are worked on at once.
        let names = (10..<30).map { "app-\($0)" }
        try await inFleet(names) { world in
            try await world.devices(1)
            try await startLedgers(names, world)
            let process = Promise<Int32>()
            let isFirst = Atomic(true)
            world.onRequest { request, instant in
                guard request.path == "/1.1/push", instant == .beforeHandling else { return }
                let id = await process.value
                // A second one would end it at once.
                if isFirst.exchange(false, ordering: .relaxed) { kill(id, SIGTERM) }
                while EndToEndLockTests.isTakingSignal(id) { await Task.yield() }
            }
            let stopped = try await world.bugle(
                "apply", "--all", "-C", "apps", "--auto-approve", started: process.fulfil)
            #expect(stopped.status == 8, "\(stopped.everything)")
            #expect(stopped.errors.contains("not begun: the apply was stopped"))
            world.onRequest(nil)
            let rest = try await world.bugle("apply", "--all", "-C", "apps", "--auto-approve")
            #expect(rest.status == 0, "\(rest.everything)")
            let inbox = try await world.inbox("d0")
            #expect(inbox.count == names.count && inbox.values.allSatisfy { $0 == 1 }, "\(inbox)")
        }
    }

    // MARK: Plans

    @Test func aListOfPlansIsAppliedExactlyAndCommented() async throws {
        try await inFleet(["a", "b", "c"]) { world in
            try await world.devices(1)
            try await startLedgers(["a", "b"], world)
            try world.write("apps/c/one.yaml", .campaign("one") + "chanels: [Giants]\n")
            let key = ["BUGLE_PLAN_KEY": String(repeating: "k", count: 32)]
            let planned = try await world.bugle(
                ["plan", "--all", "-C", "apps", "--out", "plans.json", "--format", "html=plans.html"], environment: key)
            #expect(planned.status == 3)
            let comment = try await world.bugle("comment", "plans.json", "--exit-code", "3")
            for part in [
                "Look at 1 of 3 workspaces: c.", "sends 2 pushes to 2 devices now", "is valid until", "unknown key",
            ] {
                #expect(comment.output.contains(part), "\(part) in \(comment.everything)")
            }
            let shown = try await world.bugle("show", "plans.json")
            #expect(shown.status == 0 && shown.output.contains("== b\n"), "\(shown.everything)")
            // What was not reviewed is not applied, and what was planned is applied whatever became of the others.
            try world.write("apps/b/two.yaml", .campaign("two", body: "later"))
            try world.write("apps/d/bugle.yaml", "kind: Workspace\nname: d\n")
            let applied = try await world.bugle(["apply", "--all", "-C", "apps", "plans.json"], environment: key)
            #expect(applied.status == 3 || applied.status == 9, "\(applied.everything)")
            #expect(Self.sections(applied.output).order == ["a", "b", "c"])
            #expect(try await world.inbox("d0") == ["a": 1])
            #expect(applied.errors.contains("the plan is stale"), "of b")
            // Without the key's signature nothing is.
            #expect(try await world.bugle("plan", "--all", "-C", "apps", "--out", "unsigned.json").status == 64)
            let unsigned = try await world.bugle(["apply", "--all", "-C", "apps", "unsigned.json"], environment: key)
            #expect(unsigned.errors.contains("it is not signed with the key"), "\(unsigned.everything)")
            #expect(try await world.inbox("d0") == ["a": 1])
        }
    }

    @Test func aListIsNotForOneNorOneForAll() async throws {
        try await inFleet(["a", "b"]) { world in
            try await world.devices(1)
            #expect(try await world.bugle("plan", "--all", "-C", "apps", "--out", "plans.json").status == 0)
            let one = try await world.bugle("apply", "-C", "apps/a", "plans.json")
            #expect(one.status == 64 && one.errors.contains("apply them with --all"), "\(one.everything)")
            _ = try await world.bugle("plan", "-C", "apps/a", "--out", "plan.json")
            let all = try await world.bugle("apply", "--all", "-C", "apps", "plan.json")
            #expect(all.status == 64 && all.errors.contains("is about one workspace"), "\(all.everything)")
            for arguments in [
                ["plan", "--all", "--target", "Campaign/one"], ["plan", "--all", "--open"],
                ["apply", "--all", "--join"],
                ["apply", "plans.json", "--changed-since", "main"], ["validate", "--all", "--fix"],
                ["fmt", "--all", "a.yaml"],
            ] {
                let run = try await world.bugle(arguments)
                #expect(run.status == 64 && run.errors.contains("--all"), "\(arguments): \(run.everything)")
            }
            // A workspace that is gone since it was planned is stale; the other is applied.
            try world.remove("apps/b")
            let applied = try await world.bugle("apply", "--all", "-C", "apps", "plans.json")
            #expect(applied.status == 9 && applied.errors.contains("there is no workspace any more"))
        }
    }

    @Test func recordedStatesAreAListToPlanAgainst() async throws {
        try await inFleet(["a", "b"]) { world in
            try await world.devices(3)
            let recorded = try await world.bugle("plan", "--all", "-C", "apps", "--record", "states.json")
            #expect(recorded.status == 0, "\(recorded.everything)")
            world.onRequest { request, _ in Issue.record("no request is sent: \(request.path)") }
            let against = try await world.bugle(
                ["plan", "--all", "-C", "apps", "--against", "states.json"], environment: ["BUGLE_SERVER_KEY": ""])
            #expect(against.status == 0 && against.output.contains("3 devices"), "\(against.everything)")
            try world.write(
                "apps/c/bugle.yaml",
                "kind: Workspace\nname: c\nremotes: {local: {type: leancloud, url: http://127.0.0.1:1, appId: a, masterKey: {env: K}}}\n"
            )
            let missing = try await world.bugle("plan", "--all", "-C", "apps", "--against", "states.json")
            #expect(missing.status == 9 && missing.errors.contains("states.json holds nothing of this workspace"))
            #expect(Self.sections(missing.output).of["a"] == Self.sections(against.output).of["a"])
        }
    }

    @Test(arguments: [("yes\n", Int32(0)), ("no\n", 10)]) func aPersonIsAskedOnceForAll(
        _ answer: String, _ status: Int32
    ) async throws {
        try await inFleet(["a", "b", "c"]) { world in
            try await world.devices(1)
            try await startLedgers(["a", "b", "c"], world)
            try await world.apply("-C", "apps/b")
            let session = try await Terminal.run(
                ["apply", "--all", "-C", world.path("apps")], environment: ["BUGLE_SERVER_KEY": World.masterKey],
                typing: [("Only 'yes' is accepted: ", answer)])
            #expect(session.status == status, "\(session.screen)")
            #expect(session.screen.contains("Apply these changes of 2 workspaces?"), "\(session.screen)")
            #expect(try await world.inbox("d0") == (status == 0 ? ["a": 1, "b": 1, "c": 1] : ["b": 1]))
        }
        try await inFleet(["a"]) { world in
            let nobody = try await world.bugle("apply", "--all", "-C", "apps")
            #expect(nobody.status == 10 && nobody.errors.contains("there is nobody to ask"), "\(nobody.everything)")
        }
    }

    @Test func anApprovalOfTheFolderIsOneOfEachWorkspaceInIt() async throws {
        let names = ["a", "b"]
        try await inFleet(names) { world in
            try await world.devices(1)
            try await startLedgers(names, world)
            for name in names {
                let file = world.folder.appending(path: "apps/\(name)/bugle.yaml")
                let text = try String(contentsOf: file, encoding: .utf8).replacing(
                    "policy: {}", with: "policy: {approvals: [{when: {labels: {kind: promo}}, need: 1}]}")
                try Data(text.utf8).write(to: file)
                let more = "expiration: {after: 7d}\nlabels: {kind: promo}"
                try world.write("apps/\(name)/one.yaml", .campaign("one", body: name, more: more))
            }
            let git = Repository(folder: world.folder)
            try await git.begin()
            func apply(_ tree: String) async throws -> Run {
                let file: JSONValue = [
                    "formatVersion": "1.0", "authors": ["carol"],
                    "approvals": [
                        [
                            "person": "alice", "teams": [], "tree": .string(tree), "at": "2026-11-20T12:00:00Z",
                            "dismissed": false,
                        ]
                    ],
                ]
                try world.write("approvals.json", file.canonicalText)
                return try await world.bugle(
                    "apply", "--all", "-C", "apps", "--auto-approve", "--approvals", "approvals.json")
            }
            let other = try await apply(String(repeating: "0", count: 40))
            #expect(other.status == 6, "\(other.everything)")
            #expect(try await world.inbox("d0") == [:])
            let approved = try await apply(try await git.run("rev-parse", "HEAD:apps"))
            #expect(approved.status == 0, "\(approved.everything)")
            #expect(try await world.inbox("d0") == ["a": 1, "b": 1])
        }
    }

    // MARK: Forms

    @Test func everyFormTellsOfAllAndNoNameMisleads() async throws {
        let hostile = "x](javascript:x) @all #1"
        try await inFleet(["a", hostile]) { world in
            try world.write("apps/\(hostile)/bugle.yaml", "kind: Workspace\nname: x\nnmae: y\n")
            let run = try await world.bugle(
                "plan", "--all", "-C", "apps", "--format", "markdown=c.md", "--format", "html=p.html", "--format",
                "json=p.json", "--format", "github")
            #expect(run.status == 3, "\(run.everything)")
            func file(_ name: String) throws -> String {
                try String(contentsOf: world.folder.appending(path: name), encoding: .utf8)
            }
            #expect(run.output.split(separator: "\n").allSatisfy { $0.hasPrefix("::") }, "\(run.output)")
            let comment = try file("c.md")
            #expect(!comment.contains("](javascript") && !comment.contains(" @all"), "\(comment)")
            #expect(try file("p.html").contains("workspace-2"))
            #expect(try JSONValue(parsing: file("p.json")).array?[1]["folder"] == .string(hostile))
            let sarif = try await world.bugle("validate", "--all", "-C", "apps", "--format", "sarif")
            #expect(try JSONValue(parsing: sarif.output)["runs"]?.array?.first?["results"]?.array?.isEmpty == false)
        }
    }

    @Test func formattingIsCheckedInAll() async throws {
        try await inFleet(["a", "b"]) { world in
            _ = try await world.bugle("fmt", "--all", "-C", "apps")
            #expect(try await world.bugle("fmt", "--check", "--all", "-C", "apps").status == 0)
            try world.write("apps/b/one.yaml", .campaign("one") + "labels:   {a: b}\n")
            let run = try await world.bugle("fmt", "--check", "--all", "-C", "apps")
            #expect(run.status == 1 && Self.sections(run.output).of["b"]?.contains("apps/b/one.yaml") == true)
        }
    }

    // MARK: What has changed

    @Test func onlyWorkspacesWithAChangedFileAreTaken() async throws {
        try await inFleet(["a", "b", "b/inner", "c", "gone", "moved"]) { world in
            let git = Repository(folder: world.folder)
            try world.write("notes.txt", "1")
            try world.write("apps/c/Localizable.xcstrings", "{}")
            try world.write("apps/b/inner/shared.yaml", "kind: Channel\nname: Shared\n")
            try FileManager.default.createSymbolicLink(
                atPath: world.path("apps/b/link.yaml"), withDestinationPath: "inner/shared.yaml")
            try await git.begin()
            func changed(_ since: String = "main") async throws -> [String] {
                let run = try await world.bugle(
                    "validate", "--all", "-C", "apps", "--changed-since", since, "--format", "json")
                #expect(run.status == 0, "\(run.everything)")
                return try JSONValue(parsing: run.output).array?.compactMap { $0["folder"]?.string } ?? []
            }
            #expect(try await changed() == [])
            let none = try await world.bugle("plan", "--changed-since", "main", "-C", "apps", "--out", "none.json")
            #expect(none.status == 0 && none.errors.contains("no workspace has a file changed since main"))
            #expect(none.output.contains("No workspace has changed."))
            #expect(try await world.bugle("apply", "--all", "-C", "apps", "none.json").status == 0)
            #expect(try await world.bugle("comment", "none.json").output.contains("No workspace has changed."))
            try world.remove("none.json")

            try world.write("notes.txt", "2")
            #expect(try await changed() == [], "a file outside of every workspace")
            try world.write("apps/c/Localizable.xcstrings", "{ }")
            #expect(try await changed() == ["c"], "a catalog, not committed")
            try await git.commit()
            try world.write("apps/a/new.yaml", .campaign("new"))
            #expect(try await changed() == ["a", "c"], "a new file that git does not know")
            try world.remove("apps/a/new.yaml")
            try world.remove("apps/a/one.yaml")
            #expect(try await changed() == ["a", "c"], "a file that is gone")
            try await git.run("checkout", "--quiet", "--", "apps/a")
            try world.write("apps/b/inner/one.yaml", .campaign("one", body: "other"))
            #expect(try await changed() == ["b/inner", "c"], "YAML is the innermost workspace's")
            try world.write("apps/b/inner/shared.yaml", "kind: Channel\nname: Shared\ndescription: x\n")
            #expect(try await changed() == ["b", "b/inner", "c"], "a link leads to it")

            // What main does meanwhile is not the branch's.
            try await git.commit()
            try await git.run("checkout", "--quiet", "main")
            try world.write("apps/a/late.yaml", .campaign("late"))
            try await git.commit()
            try await git.run("checkout", "--quiet", "topic")
            #expect(try await changed() == ["b", "b/inner", "c"])

            try FileManager.default.moveItem(atPath: world.path("apps/moved"), toPath: world.path("apps/here"))
            try world.remove("apps/gone")
            try await git.commit()
            let run = try await world.bugle("plan", "--changed-since", "main", "-C", "apps")
            #expect(Self.sections(run.output).order == ["b", "b/inner", "c", "gone", "here"], "\(run.output)")
            #expect(run.errors.contains("removed since main; what waits at a service"), "\(run.errors)")
        }
    }

    @Test func aRevisionThatIsNotThereIsWrongUsageAndSaysHowToGetIt() async throws {
        try await inFleet(["a"]) { world in
            let nowhere = try await world.bugle("plan", "--changed-since", "main", "-C", "apps")
            #expect(nowhere.status == 64 && nowhere.errors.contains("in no git checkout"), "\(nowhere.everything)")
            let git = Repository(folder: world.folder)
            try await git.begin()
            try world.write("apps/a/two.yaml", .campaign("two"))
            try await git.commit()
            try await git.run("clone", "--quiet", "--depth", "1", "file://" + world.folder.path, "shallow")
            for revision in ["HEAD~1", "origin/main"] {
                let shallow = try await world.bugle("plan", "--changed-since", revision, "-C", "shallow/apps")
                #expect(shallow.status == 64 && shallow.errors.contains("fetch-depth: 0"), "\(shallow.everything)")
            }
        }
    }

    @Test func validatingWhatChangedReportsWhatIsNewInIt() async throws {
        try await inFleet(["a", "b"]) { world in
            for name in ["a", "b"] {
                try world.write("apps/\(name)/old.yaml", .campaign("old") + "weigth: 1\n")
            }
            let git = Repository(folder: world.folder)
            try await git.begin()
            try world.write("apps/b/new.yaml", .campaign("new") + "hieght: 1\n")
            let run = try await world.bugle("validate", "--changed-since", "main", "-C", "apps")
            #expect(
                run.status == 3 && run.errors.contains("hieght") && !run.errors.contains("weigth"), "\(run.everything)")
            #expect(Self.sections(run.output).order == ["b"], "where no workspace is, those below are meant")
            let one = try await world.bugle("validate", "--changed-since", "main", "-C", "apps/a")
            #expect(one.output == "no error is new since main; 1 earlier diagnostic not shown\n")
        }
    }

    /// A repository with a first commit on `main` and the branch `topic`.
    private struct Repository {
        let folder: URL

        @discardableResult
        func run(_ arguments: String...) async throws -> String {
            let run = try await FinishedProgram.run(
                "/usr/bin/git", ["-c", "user.name=T", "-c", "user.email=t@example.com"] + arguments,
                environment: ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"], folder: folder)
            #expect(run.ending == .exited(0), "\(arguments): \(run.errors)")
            return run.output.trimmingCharacters(in: .newlines)
        }

        func begin() async throws {
            try await run("init", "--quiet", "--initial-branch", "main")
            try await commit()
            try await run("checkout", "--quiet", "-b", "topic")
        }

        func commit() async throws {
            try await run("add", "--all")
            try await run("commit", "--quiet", "--message", "change")
        }
    }
}
