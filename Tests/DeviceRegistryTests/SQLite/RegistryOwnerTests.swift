import Base
import Foundation
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// Of two that believe to be alone on a registry's file the second is refused.
@Suite struct RegistryOwnerTests {
    private let fixture: RegistryFixture

    init() throws {
        fixture = try RegistryFixture()
    }

    private func expectRefusal(_ body: () async throws -> Void) async {
        let error = await #expect(throws: RegistryError.self) { try await body() }
        let words = error?.description ?? ""
        let since = words.range(of: #"since 20\d\d-\d\d-\d\dT"#, options: .regularExpression)
        #expect(words.contains("process \(ProcessInfo.processInfo.processIdentifier) on "), "\(words)")
        #expect(words.contains(ProcessInfo.processInfo.processName) && since != nil, "\(words)")
    }

    @Test func aSecondServerIsRefusedUntilTheFirstHasEnded() async throws {
        let first = try Registry.test(at: fixture.path, isAlone: true)
        await expectRefusal { try Registry.test(at: fixture.path, isAlone: true).close() }
        // By whatever name it comes.
        let link = fixture.folder.appending(path: "link.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)
        await expectRefusal { try Registry.test(at: link, isAlone: true).close() }
        first.close()
        try Registry.test(at: fixture.path, isAlone: true).close()
    }

    /// A program that is being started has for a moment all open that its parent has.
    @Test func aLockThatAnotherDescriptorHasTooIsGivenBack() throws {
        let first = try Registry.test(at: fixture.path, isAlone: true)
        let files = FileManager.default
        let own = try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.first { number in
            let place = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return place?.hasSuffix(fixture.path + "-owner") == true
        }
        let copy = dup(try #require(own))
        defer { _ = Foundation.close(copy) }
        first.close()
        try Registry.test(at: fixture.path, isAlone: true).close()
    }

    @Test func whoeverWritesAJournalWithoutALockIsRefusedBesideAServer() async throws {
        let server = try Registry.test(at: fixture.path, isAlone: true)
        defer { server.close() }
        let other = try await fixture.connect()
        let batch = JournalBatch(delivery: "d", number: 1, claimant: "r", profile: "p", targets: [])
        let freeze = DeliveryFreeze(delivery: "d", workspace: "shop", audience: .devices(), environment: "production")
        await expectRefusal { _ = try await other.freeze(freeze, under: nil) }
        await expectRefusal { _ = try await other.claim(from: "d", by: "r", under: nil) }
        await expectRefusal { _ = try await other.settle(batch, [], under: nil) }
        await expectRefusal { try await other.giveUp("d", claimedBefore: nil, under: nil) }
        await expectRefusal { try await other.reopenDoubtful("d", under: nil) }
        await expectRefusal { _ = try await other.close("d", under: nil) }
        #expect(try await other.journal(of: "d") == nil)
        // With a lock it goes on beside the server, and so do marks.
        let lease = try await other.lease(on: "shop")
        #expect(try await other.freeze(freeze, under: lease).isFrozen)
        #expect(try await other.claim(from: "d", by: "r", under: lease) == .finished)
        try await other.put(DeployRecord(workspace: "shop", kind: .mark, key: "a", document: [:]), under: nil)
        _ = try await Journal(server).freeze(freeze, under: nil)
        await other.close()
    }

    @Test func aServerThatWasKilledKeepsNobodyOut() async throws {
        let file = fixture.path + "-owner"
        let line = "bugle-server, process 1 on gone, since 2020-01-01T00:00:00.000Z"
        try Data("\(line)\n".utf8).write(to: URL(fileURLWithPath: file))
        let (other, output) = (Process(), Pipe())
        other.executableURL = URL(fileURLWithPath: "/bin/bash")
        other.arguments = ["-c", "exec 9<>\"$0\"; flock 9; echo held; exec sleep 600", file]
        other.standardOutput = output
        try other.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "held\n")
        let error = #expect(throws: RegistryError.self) { try Registry.test(at: fixture.path, isAlone: true) }
        #expect(error?.description.contains(line) == true)
        kill(other.processIdentifier, SIGKILL)
        other.waitUntilExit()
        let registry = try Registry.test(at: fixture.path, isAlone: true)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("gone") == false)
        registry.close()
    }
}
