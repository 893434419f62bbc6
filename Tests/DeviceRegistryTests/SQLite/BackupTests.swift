import DeviceRegistry
import Foundation
import GRDB
import Push
import RegistryTesting
import Testing

@Suite struct BackupTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func aBackupOfARegistryInUseHoldsAllOfItAndCanBeServed() async throws {
        let fixture = try RegistryFixture()
        let target = fixture.folder.appending(path: "copy.sqlite").path
        // What is written last is in the log beside the file only.
        _ = try await fixture.registry.seed(devices: 500, at: Instant.system)
        let bytes = try Registry.backUp(fixture.path, to: target)
        #expect(bytes > 100_000)
        #expect(try mode(target) == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).filter { $0.contains("copy") } == [
                "copy.sqlite"
            ])
        let restored = try Registry.test(at: target)
        defer { restored.close() }
        #expect(try await restored.deviceCount() == 500)
        #expect(try await fixture.registry.deviceCount() == 500)
    }

    @Test func whatIsWrittenMeanwhileGoesOnAndTheCopyIsOneMoment() async throws {
        let fixture = try RegistryFixture()
        _ = try await fixture.registry.seed(devices: 200, at: Instant.system)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<200 { try await fixture.registry.purge(at: Instant.system) }
            }
            for number in 0..<3 {
                let target = fixture.folder.appending(path: "copy\(number).sqlite").path
                #expect(try Registry.backUp(fixture.path, to: target) > 0)
            }
            try await group.waitForAll()
        }
    }

    @Test func anExistingFileIsReplacedOnlyWhenThatIsAskedFor() async throws {
        let fixture = try RegistryFixture()
        let target = fixture.folder.appending(path: "copy.sqlite").path
        try Data("precious".utf8).write(to: URL(filePath: target))
        let error = #expect(throws: RegistryError.self) { try Registry.backUp(fixture.path, to: target) }
        #expect(error?.description.contains(target) == true)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("precious".utf8))
        _ = try Registry.backUp(fixture.path, to: target, replacing: true)
        #expect(try mode(target) == 0o600)
        #expect(try await DatabaseQueue(path: target).read { try $0.tableExists("installation") })
    }

    @Test func whatIsNoRegistryIsNotCopied() async throws {
        try await inFolder { (folder) async throws in
            let target = folder.appending(path: "copy.sqlite").path
            let text = folder.appending(path: "text")
            try Data(repeating: 0x61, count: 10_000).write(to: text)
            let other = folder.appending(path: "other.sqlite").path
            try await DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE t (a)") }
            for source in [folder.appending(path: "none").path, text.path, other, folder.path] {
                #expect(throws: RegistryError.self) { try Registry.backUp(source, to: target) }
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!left.contains { $0.contains("copy") || $0 == "none" })
            let registry = try Registry.test(at: folder.appending(path: "d.sqlite").path)
            registry.close()
            #expect(throws: RegistryError.self) {
                try Registry.backUp(folder.appending(path: "d.sqlite").path, to: folder.path + "/no/such/copy")
            }
        }
    }

    @Test func aDamagedRegistryGivesNoBackup() async throws {
        try await inFolder { (folder) async throws in
            let source = folder.appending(path: "d.sqlite").path
            let registry = try Registry.test(at: source)
            _ = try await registry.seed(devices: 2000, at: Instant.system)
            registry.close()
            let file = try FileHandle(forUpdating: URL(filePath: source))
            // The middle of the file is pages of the devices and their indexes.
            try file.seek(toOffset: 300_000)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 40_000))
            try file.close()
            let target = folder.appending(path: "copy.sqlite").path
            #expect(throws: RegistryError.self) { try Registry.backUp(source, to: target) }
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test func theFiguresCountWhatEverWas() async throws {
        let registry = try Registry.testInMemory()
        let figures = try await registry.figures()
        #expect(figures.pushes == 0)
        #expect(figures.messages == 0)
        #expect(figures.scheduled == 0)
        #expect(figures.bytes > 0)
    }
}
