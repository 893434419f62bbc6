import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Synchronization
import Testing

/// A registry in a file, under a clock that tests move.
final class RegistryFixture: StoreFixture {
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID())")
    let registry: Registry
    private let time = Mutex(Instant.noon)

    var path: String { folder.appending(path: "registry.sqlite").path }

    init(queryTimeLimit: Duration = .seconds(600)) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A machine that runs all tests at once is slower than the limit of a change supposes.
        registry = try Registry.open(
            path: folder.appending(path: "registry.sqlite").path, queryTimeLimit: queryTimeLimit,
            changeTimeLimit: .seconds(600))
    }

    deinit {
        registry.close()
        try? FileManager.default.removeItem(at: folder)
    }

    var now: Instant { time.withLock { $0 } }

    func connect() async throws -> Journal {
        Journal(try Registry.open(existing: path)) { self.now }
    }

    func register(_ documents: [JSONValue], at time: Instant) async throws {
        for document in documents {
            _ = try await registry.create(document.object ?? [:], in: .installation, as: .master, at: time)
        }
    }

    func device(_ token: String) async throws -> JSONValue? {
        try await find(token).map { .object($0.fields) }
    }

    func objectID(_ token: String) async throws -> String? { try await find(token)?.objectID }

    func lastSeen(_ token: String) async throws -> Instant? {
        try await find(token)?.updatedAt
    }

    func advance(seconds: Double) async throws {
        time.withLock { $0 = $0.advanced(bySeconds: seconds) }
    }

    private func find(_ token: String) async throws -> StoredObject? {
        let query = ObjectQuery(where: ["deviceToken": .string(token)])
        let found = try await registry.find(query, in: .installation, as: .master)
        guard let id = found.results.first?["objectId"]?.string else { return nil }
        return try await registry.object(id, in: .installation, as: .master)
    }
}

/// Calls a test with a folder that is removed at its end.
func inFolder(_ test: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await test(folder)
}

@Suite struct RegistryStoreTests {
    @Test(arguments: StoreClaim.allCases)
    func itIsAsEveryStoreIs(_ claim: StoreClaim) async throws {
        let fixture = try RegistryFixture()
        try await claim.test(fixture)
    }
}
