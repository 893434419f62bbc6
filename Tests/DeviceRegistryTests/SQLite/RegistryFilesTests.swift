import Base
import Foundation
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// What is written to a file that lost its name is found by nobody: nothing is written then.
@Suite struct RegistryFilesTests {
    /// What can happen to the files of an open registry, and a word of what is said of it.
    enum Loss: String, CaseIterable, Sendable {
        case removed, renamed, replaced, logRemoved, logReplaced, indexRemoved, folderRenamed, overwritten, exchanged

        var word: String {
            switch self {
            case .removed, .renamed, .logRemoved, .indexRemoved, .folderRenamed: "was removed or renamed"
            case .replaced, .logReplaced: "was replaced"
            case .overwritten, .exchanged: "was overwritten"
            }
        }
    }

    private static func happen(_ loss: Loss, to path: String, _ folder: URL) throws {
        let files = FileManager.default
        func replace(_ path: String) throws {
            try files.copyItem(atPath: path, toPath: path + ".new")
            #expect(rename(path + ".new", path) == 0)
        }
        switch loss {
        case .removed: try files.removeItem(atPath: path)
        case .renamed: try files.moveItem(atPath: path, toPath: path + ".old")
        case .replaced: try replace(path)
        case .logRemoved: try files.removeItem(atPath: path + "-wal")
        case .logReplaced: try replace(path + "-wal")
        case .indexRemoved: try files.removeItem(atPath: path + "-shm")
        case .folderRenamed: try files.moveItem(atPath: folder.path, toPath: folder.path + "-elsewhere")
        case .overwritten:
            // As `cp` does: into the same file.
            try write(folder.appending(path: "backup"), over: path)
        case .exchanged:
            // An older state of itself, as large: no size tells.
            let old = folder.appending(path: "old")
            #expect(FileStamp(old.path).size == FileStamp(path).size)
            try write(old, over: path)
        }
    }

    private static func write(_ other: URL, over path: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(contentsOf: other))
        try handle.close()
    }

    private static func withRegistry(_ test: (Registry, _ path: String, _ folder: URL) async throws -> Void)
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lost-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            for name in [folder.path, folder.path + "-elsewhere"] { try? FileManager.default.removeItem(atPath: name) }
        }
        let path = folder.appending(path: "r.sqlite").path
        let registry = try Registry.test(at: path)
        defer { registry.close() }
        _ = try Registry.backUp(path, to: folder.appending(path: "backup").path)
        _ = try await registry.seed(devices: 500, at: .noon)
        try await registry.checkpoint()
        try FileManager.default.copyItem(at: folder.appending(path: "r.sqlite"), to: folder.appending(path: "old"))
        try await test(registry, path, folder)
    }

    @Test(arguments: Loss.allCases) func nothingIsWrittenOnceTheFilesAreOthers(loss: Loss) async throws {
        try await Self.withRegistry { registry, path, folder in
            try await registry.register("a1")
            let reader = try Registry.openReadOnly(path: path)
            try Self.happen(loss, to: path, folder)
            let error = await #expect(throws: RegistryError.self) { try await registry.register("a2") }
            #expect(
                error?.isFileLost == true && error?.description.contains(loss.word) == true,
                "\(String(describing: error))")
            await #expect(throws: RegistryError.self) {
                _ = try await Journal(registry).acquireLock(of: "w", holder: "h", run: "r")
            }
            if loss != .overwritten, loss != .exchanged {
                await #expect(throws: RegistryError.self) { _ = try await registry.deviceCount() }
                await #expect(throws: RegistryError.self) { try await registry.checkWriting() }
                await #expect(throws: RegistryError.self) { _ = try await reader.records(.ledger, of: "w") }
                // What stands in the files that are open can still be told.
                #expect(try await Journal(registry).records(.ledger, of: "w").isEmpty)
            }
            await reader.close()
        }
    }

    /// Other reads may have every connection that there is, and to a file that is gone no other can be made.
    @Test func whatIsOpenIsToldWhileOthersRead() async throws {
        try await Self.withRegistry { registry, path, folder in
            let database = try #require(registry.file?.database)
            let (entered, enters) = AsyncStream<Void>.makeStream()
            let leave = DispatchSemaphore(value: 0)
            let readers = (0..<7).map { _ in
                Task {
                    try await database.read { _ in
                        enters.yield()
                        leave.wait()
                    }
                }
            }
            defer { for _ in readers { leave.signal() } }
            var places = entered.makeAsyncIterator()
            for _ in readers { await places.next() }
            try Self.happen(.folderRenamed, to: path, folder)
            #expect(try await Journal(registry).records(.ledger, of: "w").isEmpty)
        }
    }

    @Test func whatIsPutBackGoesOn() async throws {
        try await Self.withRegistry { registry, path, _ in
            #expect(rename(path, path + ".old") == 0)
            await #expect(throws: RegistryError.self) { try await registry.register("a1") }
            #expect(rename(path + ".old", path) == 0)
            try await registry.register("a1")
            try await registry.checkWriting()
        }
    }

    /// Whoever has the file open brings the log into it, at any time.
    @Test func whatAnotherConnectionBringsIntoTheFileIsNoOverwriting() async throws {
        try await Self.withRegistry { registry, path, _ in
            let other = try Registry.test(at: path)
            defer { other.close() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, registry) in [registry, other].enumerated() {
                    group.addTask {
                        for device in 0..<150 {
                            try await registry.register("\(number)\(device)a")
                            try await registry.file?.database.writeWithoutTransaction { db in
                                _ = try? db.checkpoint(device % 10 == 0 ? .truncate : .passive)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await registry.register("a1")
        }
    }

    /// An overwritten file stays one, whatever is brought into it afterwards.
    @Test func anOverwrittenFileIsNotForgotten() async throws {
        try await Self.withRegistry { registry, path, folder in
            try await registry.register("a1")
            try Self.happen(.exchanged, to: path, folder)
            await #expect(throws: RegistryError.self) { try await registry.register("a2") }
            try? await registry.checkpoint()
            let error = await #expect(throws: RegistryError.self) { _ = try await registry.deviceCount() }
            #expect(error?.description.contains("was overwritten") == true)
        }
    }

    @Test func aFileThatIsVacuumedIsNotOverwritten() async throws {
        try await Self.withRegistry { registry, path, _ in
            try await registry.empty()
            let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
            try await registry.file?.database.vacuum()
            try await registry.checkpoint()
            #expect(try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) < size)
            try await registry.register("a1")
        }
    }
}
