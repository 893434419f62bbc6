import Foundation
import Subprocess
import Testing

/// `bugle validate --changed-since REV`: only what the branch has introduced.
@Suite struct ChangedSinceTests {
    /// A workspace in a git repository whose first commit has errors.
    private struct Checkout {
        let folder: URL

        @discardableResult
        func git(_ arguments: String...) async throws -> Bool {
            let settings = [
                "-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c",
                "init.defaultBranch=main",
            ]
            let result = try await Subprocess.run(
                .name("git"), arguments: Arguments(["-C", folder.path] + settings + arguments), output: .discarded,
                error: .discarded)
            return result.terminationStatus.isSuccess
        }

        func write(_ path: String, _ text: String) throws {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        func commit() async throws {
            #expect(try await git("add", "-A"))
            #expect(try await git("commit", "-m", "change"))
        }

        func validate(_ since: String, _ more: String...) async throws -> Run {
            try await Program.run(["validate", "--changed-since", since] + more, folder: folder)
        }
    }

    private func inCheckout(_ test: (Checkout) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let checkout = Checkout(folder: folder)
        try checkout.write("campaigns/bugle.yaml", "kind: Workspace\nname: giants\n")
        try checkout.write("campaigns/news.yaml", .giants)
        try checkout.write("campaigns/old.yaml", Self.wrong("old", "weigth"))
        #expect(try await checkout.git("init"))
        try await checkout.commit()
        #expect(try await checkout.git("checkout", "-b", "topic"))
        try await test(checkout)
    }

    private static func wrong(_ name: String, _ key: String) -> String {
        .campaign(name, more: "expiration: {after: 7d}\n\(key): 1")
    }

    @Test func onlyWhatTheBranchIntroducedIsReported() async throws {
        try await inCheckout { checkout in
            #expect(try await Program.run(["validate"], folder: checkout.folder).status == 3)
            let clean = try await checkout.validate("main")
            #expect(clean.status == 0, "\(clean.everything)")
            #expect(clean.output == "no error is new since main; 1 earlier diagnostic not shown\n")

            // Lines above it and a new name leave an old mistake old.
            try checkout.write("campaigns/moved.yaml", "# why\n\n" + Self.wrong("old", "weigth"))
            try FileManager.default.removeItem(at: checkout.folder.appending(path: "campaigns/old.yaml"))
            try await checkout.commit()
            #expect(try await checkout.validate("main").status == 0)

            // The same mistake once more is new, and the one that came is told from the one that was there.
            try checkout.write("campaigns/new.yaml", Self.wrong("new", "weigth"))
            let found = try await checkout.validate("main")
            #expect(found.status == 3)
            #expect(found.errors.contains("campaigns/new.yaml:6:1"), "\(found.everything)")
            #expect(!found.errors.contains("moved.yaml"))

            // What main does meanwhile does not count for the branch.
            try await checkout.commit()
            #expect(try await checkout.git("checkout", "main"))
            try checkout.write("campaigns/new.yaml", Self.wrong("new", "weigth"))
            try await checkout.commit()
            #expect(try await checkout.git("checkout", "topic"))
            #expect(try await checkout.validate("main").status == 3)
        }
    }

    @Test func whatAChangeElsewhereCausesIsReportedWhereItShows() async throws {
        try await inCheckout { checkout in
            try checkout.write("campaigns/good.yaml", .campaign("good"))
            try await checkout.commit()
            #expect(try await checkout.validate("HEAD").status == 0)
            try checkout.write("campaigns/news.yaml", "kind: Channel\nname: Dodgers\n")
            let found = try await checkout.validate("HEAD", "--format", "json")
            #expect(found.status == 3)
            #expect(found.output.contains("campaigns/good.yaml") && found.output.contains("unknown-reference"))
            #expect(!found.output.contains("weigth"))
        }
    }

    @Test func aWorkspaceThatIsNewHasNothingEarlier() async throws {
        try await inCheckout { checkout in
            try checkout.write("other/bugle.yaml", "kind: Workspace\nname: other\nnmae: x\n")
            let found = try await checkout.validate("main", "-C", "other")
            #expect(found.status == 3 && found.errors.contains("other/bugle.yaml:3"), "\(found.everything)")
        }
    }

    @Test func aRevisionThatCannotBeComparedWithIsWrongUsage() async throws {
        try await inCheckout { checkout in
            for revision in ["nowhere", "--output=x", "main:campaigns", ""] {
                let run = try await checkout.validate(revision)
                #expect(run.status == 64, "\(revision): \(run.everything)")
            }
            #expect(try await checkout.validate("nowhere").errors.contains("git knows no commit 'nowhere'"))
            #expect(try await checkout.git("checkout", "--orphan", "apart"))
            // The same files in the same second would be the same commit.
            try checkout.write("apart.txt", "1")
            try await checkout.commit()
            let apart = try await checkout.validate("main")
            #expect(apart.status == 64 && apart.errors.contains("HEAD shares no commit with 'main'"))

            try checkout.write("news.txt", "1")
            try await checkout.commit()
            let url = "file://" + checkout.folder.path
            #expect(try await checkout.git("clone", "--depth", "1", "--no-single-branch", url, "shallow"))
            let shallow = try await Program.run(
                ["validate", "--changed-since", "HEAD~1"], folder: checkout.folder.appending(path: "shallow"))
            #expect(shallow.status == 64 && shallow.errors.contains("the clone is shallow"), "\(shallow.everything)")

            let nowhere = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
            try FileManager.default.copyItem(at: checkout.folder.appending(path: "campaigns"), to: nowhere)
            defer { try? FileManager.default.removeItem(at: nowhere) }
            let none = try await Program.run(["validate", "--changed-since", "main"], folder: nowhere)
            #expect(none.status == 64 && none.errors.contains("in no git checkout"), "\(none.everything)")
        }
    }
}
