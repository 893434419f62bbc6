import Base
import Foundation
import ProgramTesting
import Testing

@Suite struct ExamplesTests {
    static let root = repository

    /// Copies a workspace so that it leads to this world's server.
    private func copy(_ name: String, into world: World) throws {
        let source = Self.root.appending(path: name)
        let target = world.folder.appending(path: "example")
        try FileManager.default.copyItem(at: source, to: target)
        let file = target.appending(path: "bugle.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let changed = text.replacingOccurrences(of: "http://127.0.0.1:8710", with: world.url)
        try Data(changed.utf8).write(to: file)
    }

    @Test(arguments: [
        "examples/giants", "examples/driver-passenger", "examples/silent", "examples/localized", "examples/rich",
        "campaigns",
    ])
    func anApplyReachesEveryDeviceOnceAndIsFollowedByAnEmptyPlan(name: String) async throws {
        try await World.run(devices: 2000) { world in
            try copy(name, into: world)
            let environment = ["BUGLE_DEMO_URL": world.url]
            let validated = try await world.bugle("validate", "-C", "example", environment: environment)
            #expect(validated.status == 0, "\(validated.everything)")
            let first = try await world.bugle("plan", "-C", "example", "--format", "json", environment: environment)
            let second = try await world.bugle("plan", "-C", "example", "--format", "json", environment: environment)
            #expect(first.status == 0, "\(first.everything)")
            #expect(first.output == second.output)
            let applied = try await world.bugle("apply", "-C", "example", "--auto-approve", environment: environment)
            #expect(applied.status == 0, "\(applied.everything)")
            let after = try await world.bugle("plan", "-C", "example", "--detailed-exitcode", environment: environment)
            #expect(after.status == 0, "\(after.everything)")
            #expect(after.output.contains("No changes: local matches the workspace."))
            for id in try await world.notificationIDs() {
                let summary = try await world.call("GET", "/bugle/inboxes?notificationId=\(id)")
                #expect(summary["duplicates"] == 0)
            }
        }
    }
}

extension World {
    /// The ids of all requests that the ledger knows.
    func notificationIDs() async throws -> [String] {
        let results = try await call("GET", "/classes/BugleLedger?limit=1000")["results"]?.array ?? []
        return results.compactMap { $0["notificationId"]?.string }
    }
}
