import Foundation
import RegistryTesting
import Testing

/// Servers of the version before beside those of this one, on one database.
@Suite struct UpgradeTests {
    /// The server of an earlier commit, which `make test-long` builds.
    private static let previous = ProcessInfo.processInfo.environment["BUGLE_PREVIOUS_SERVER"]

    @Test(.enabled(if: previous != nil)) func aRollingUpgradeUnderLoadLosesNothing() async throws {
        let url = try await PostgresServer.databaseURL()
        // The one before makes the tables.
        let copies = try await ServerCopies(url, path: Self.previous)
        defer { copies.kill() }
        let load = CopiesLoad(copies)
        let figures = try await load.run {
            try await load.advance(by: 60)
            let migrated = try await Program.run(["migrate", "--data", url])
            #expect(migrated.status == 0, "\(migrated.errors)")
            for index in 0..<ServerCopies.count {
                try await load.advance(by: 60)
                try await copies.restart(index, after: index == 1 ? SIGKILL : SIGTERM)
            }
            try await load.advance(by: 60)
        }
        print("a rolling upgrade: \(figures)")
        try await load.check()
    }
}
