import Foundation
import Testing

@testable import BugleCommands

/// What git is asked in a workspace that somebody else wrote.
@Suite struct GitCheckoutTests {
    @Test func filesThatLookLikeARepositoryAreNoneAndRunNothing() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["objects", "refs"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        let stolen = folder.appending(path: "stolen").path
        let config = """
            [core]
            repositoryformatversion = 0
            bare = false
            worktree = "."
            fsmonitor = "touch '\(stolen)'; false"

            """
        let files = ["HEAD": "ref: refs/heads/main\n", "config": config, "bugle.yaml": "kind: Workspace\n"]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let git = GitCheckout(folder: folder.path)
        #expect(await git.output("status", "--porcelain", "--untracked-files=all") == nil)
        #expect(await git.output("rev-parse", "--git-dir") == nil)
        #expect(!FileManager.default.fileExists(atPath: stolen))
    }
}
