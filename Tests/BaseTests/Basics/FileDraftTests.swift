import Base
import CLibrary
import Foundation
import Testing

@Suite struct FileDraftTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "draft-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func aFileIsReplacedAsAWholeAndKeepsItsPermissions() throws {
        try inFolder { folder in
            let path = folder + "/a"
            try FileDraft.write(Array("old".utf8), to: path, mode: 0o640)
            #expect(try mode(path) == 0o640)
            let reader = try #require(FileHandle(forReadingAtPath: path))
            try FileDraft.write(Array("new".utf8), to: path)
            #expect(try text(path) == "new")
            #expect(try mode(path) == 0o640)
            // Who has opened the old file reads the old bytes.
            #expect(try reader.readToEnd() == Data("old".utf8))
            try FileDraft.write([], to: path, mode: 0o600)
            #expect(try mode(path) == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        }
    }

    @Test func whatCannotGetItsNameLeavesNothing() throws {
        try inFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/a", withIntermediateDirectories: true)
            let error = #expect(throws: SystemError.self) { try FileDraft.write([1], to: folder + "/a") }
            #expect(error?.code == EISDIR)
            #expect(error?.description == "Is a directory")
            #expect(throws: SystemError.self) { try FileDraft.write([1], to: folder + "/none/a") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        }
    }

    @Test(arguments: [true, false])
    func whatIsToBeNewReplacesNothing(isLink: Bool) throws {
        try inFolder { folder in
            try FileDraft.create([1, 2], at: folder + "/a")
            #expect(try Data(contentsOf: URL(filePath: folder + "/a")) == Data([1, 2]))
            if isLink { try FileManager.default.createSymbolicLink(atPath: folder + "/b", withDestinationPath: "none") }
            let taken = folder + (isLink ? "/b" : "/a")
            #expect(throws: SystemError.self) { try FileDraft.create([3], at: taken) }
            let draft = try FileDraft(of: taken, mode: 0o600)
            let error = #expect(throws: SystemError.self) { try draft.publish(replacing: false) }
            #expect(error?.code == EEXIST)
            draft.discard()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names == (isLink ? ["a", "b"] : ["a"]))
        }
    }
}
