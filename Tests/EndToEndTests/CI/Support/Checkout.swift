import Foundation
import Testing

/// A git repository with the workspace of a world in `campaigns` and the recipes in `.ci/bugle`, as CI checks it out.
struct Checkout: Sendable {
    let world: World
    let folder: URL

    /// Whatever the recipes keep secret.
    static let secrets = ["LEANCLOUD_MASTER_KEY": World.masterKey]

    /// Makes one; its remote is `production`, whose key is in LEANCLOUD_MASTER_KEY.
    init(_ world: World, _ files: [String: String]) async throws {
        self.world = world
        folder = world.folder.appending(path: "repository")
        let manager = FileManager.default
        try manager.createDirectory(at: folder.appending(path: ".ci"), withIntermediateDirectories: true)
        try manager.copyItem(at: RecipeFile.folder, to: folder.appending(path: ".ci/bugle"))
        let workspace = try String(contentsOf: world.folder.appending(path: "bugle.yaml"), encoding: .utf8)
            .replacingOccurrences(of: "local", with: "production")
            .replacingOccurrences(of: "BUGLE_SERVER_KEY", with: "LEANCLOUD_MASTER_KEY")
        try write("bugle.yaml", workspace)
        for (path, text) in files { try write(path, text) }
        _ = try await Program.run(["fmt", "-C", "campaigns"], folder: folder)
        try await git("init", "--quiet", "--initial-branch", "main")
        try await commit()
    }

    /// Writes a file of the workspace.
    func write(_ path: String, _ text: String) throws {
        let file = folder.appending(path: "campaigns/\(path)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Commits everything and gives the commit.
    @discardableResult
    func commit() async throws -> String {
        try await git("add", "--all")
        try await git("commit", "--quiet", "--allow-empty", "--message", "change")
        return try await git("rev-parse", "HEAD")
    }

    /// Keeps the plan that `bugle-ci.sh` made as the one that was reviewed, and gives its name.
    func keepPlan() throws -> String {
        try FileManager.default.moveItem(
            at: folder.appending(path: "bugle-out/plan.json"), to: folder.appending(path: "reviewed.json"))
        return "reviewed.json"
    }

    @discardableResult
    func git(_ arguments: String...) async throws -> String {
        let run = try await ShellScript.run(
            ["/usr/bin/git", "-c", "user.name=runner", "-c", "user.email=runner@example.com"] + arguments,
            environment: ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"], folder: folder)
        #expect(run.status == 0, "\(run.everything)")
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns when a runner was told to stop, or after some minutes.
    func hasStopFile() async {
        let manager = FileManager.default
        for _ in 0..<30_000 {
            let folders = (try? manager.contentsOfDirectory(atPath: world.folder.path)) ?? []
            if folders.contains(where: { manager.fileExists(atPath: world.path("\($0)/bugle/stop")) }) { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    var trustedHost: String { "127.0.0.1:\(world.port)" }
}
