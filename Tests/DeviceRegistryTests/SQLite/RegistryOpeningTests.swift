import Base
import DeviceRegistry
import Foundation
import GRDB
import RegistryTesting
import Testing

@Suite struct RegistryOpeningTests {
    /// Both refuse a file, with words that help.
    private func expectRefusal(_ path: String, _ words: String) {
        for error in [
            #expect(throws: RegistryError.self) { try Registry.open(existing: path) },
            #expect(throws: RegistryError.self) { try Registry.openReadOnly(path: path) },
        ] {
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains(path) == true, "\(error?.description ?? "")")
        }
    }

    @Test func whatIsNotThereIsNotCreated() async throws {
        try await inFolder { (folder) async throws in
            let path = folder.appending(path: "none.sqlite").path
            expectRefusal(path, "bugle registry init")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func whatIsNoRegistryIsLeftAlone() async throws {
        try await inFolder { (folder) async throws in
            let text = folder.appending(path: "text")
            try Data(repeating: 0x61, count: 10_000).write(to: text)
            expectRefusal(text.path, "not a bugle registry")
            let empty = folder.appending(path: "empty")
            try Data().write(to: empty)
            expectRefusal(empty.path, "not a bugle registry")
            #expect(try Data(contentsOf: empty).isEmpty)
            let other = folder.appending(path: "other.sqlite").path
            try await DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE t (a)") }
            expectRefusal(other, "not a bugle registry")
            expectRefusal(folder.path, "cannot open")
        }
    }

    @Test func aLongLogThatACrashLeftIsReadWhole() async throws {
        try await inFolder { (folder) async throws in
            let (path, left) = (folder.appending(path: "d.sqlite").path, folder.appending(path: "left.sqlite").path)
            let registry = try Registry.test(at: path)
            _ = try await registry.seed(devices: 5000, at: .noon)
            for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + end, toPath: left + end) }
            let log = try Data(contentsOf: URL(filePath: left + "-wal"))
            #expect(log.count > 1 << 20)
            let found = try Registry.test(at: left)
            #expect(try Data(contentsOf: URL(filePath: left + "-wal")) == log)
            #expect(try await found.deviceCount() == 5000)
            found.close()
            registry.close()
        }
    }

    /// SQLite takes an empty file for a new database, and removes its log.
    @Test(arguments: [true, false]) func aRegistryThatWasCutOffToNothingIsSaid(hasLog: Bool) async throws {
        try await inFolder { (folder) async throws in
            let path = folder.appending(path: "d.sqlite").path
            let registry = try Registry.test(at: path, isAlone: true)
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            registry.close()
            #expect(!log.isEmpty)
            // As a crash leaves them.
            try Data().write(to: URL(filePath: path))
            if hasLog {
                try FileManager.default.removeItem(atPath: path + "-owner")
                try log.write(to: URL(filePath: path + "-wal"))
            }
            expectRefusal(path, "is empty, and was in use")
            let error = #expect(throws: RegistryError.self) { try Registry.test(at: path, isAlone: true) }
            #expect(error?.description.contains("is empty, and was in use") == true)
            #expect((try? Data(contentsOf: URL(filePath: path + "-wal"))) == (hasLog ? log : nil))
        }
    }

    @Test func aNewerRegistryIsRefused() async throws {
        try await inFolder { (folder) async throws in
            let path = folder.appending(path: "d.sqlite").path
            try Registry.test(at: path).close()
            try await DatabaseQueue(path: path).write {
                try $0.execute(sql: "INSERT INTO grdb_migrations(identifier) VALUES ('fromTheFuture')")
            }
            expectRefusal(path, "newer")
        }
    }

    @Test func aReaderDoesNotBringAnOlderRegistryUpToDate() async throws {
        try await inFolder { (folder) async throws in
            let path = folder.appending(path: "d.sqlite").path
            try Registry.test(at: path).close()
            try await DatabaseQueue(path: path).write { try $0.execute(sql: "DELETE FROM grdb_migrations") }
            let error = #expect(throws: RegistryError.self) { try Registry.openReadOnly(path: path) }
            #expect(error?.description.contains("bugle registry init") == true)
        }
    }

    @Test func aRegistryIsToldFromEveryOtherAndACopyIsTheSame() async throws {
        try await inFolder { (folder) async throws in
            func path(_ name: String) -> String { folder.appending(path: name + ".sqlite").path }
            func identity(_ name: String) async throws -> String {
                let reader = try Registry.openReadOnly(path: path(name))
                let id = try await reader.identity()
                await reader.close()
                return id
            }
            for name in ["a", "b"] { try Registry.test(at: path(name)).close() }
            let id = try await identity("a")
            #expect(id.count == 32)
            #expect(try await identity("b") != id)
            _ = try Registry.backUp(path("a"), to: path("copy"))
            #expect(try await identity("copy") == id)
            try Registry.test(at: path("a")).close()
            #expect(try await Journal(try Registry.open(existing: path("a"))).identity() == id)
        }
    }

    @Test func aReaderSeesWhatWritersWriteAndChangesNothing() async throws {
        let fixture = try RegistryFixture()
        let writer = try await fixture.connect()
        let reader = try Registry.openReadOnly(path: fixture.path) { .noon }
        #expect(try await reader.lock(of: "shop") == nil)
        _ = try await writer.acquireLock(of: "shop", holder: "h", run: "r")
        try await writer.put(DeployRecord(workspace: "shop", kind: .mark, key: "a", document: [:]), under: nil)
        #expect(try await reader.lock(of: "shop")?.run == "r")
        #expect(try await reader.records(.mark, of: "shop").map(\.key) == ["a"])
        #expect(try await reader.now() == .noon)
        await writer.close()
        #expect(try await reader.lock(of: "shop")?.run == "r")
        await reader.close()
        await #expect(throws: RegistryError.self) { try await reader.lock(of: "shop") }
    }
}
