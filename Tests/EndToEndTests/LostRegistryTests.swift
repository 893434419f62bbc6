import Base
import CLibrary
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import RegistryTesting
import SystemPackage
import Testing

/// A registry that is taken away while it is sent from, or was copied in part: the next apply must not send to all again.
@Suite struct LostRegistryTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": String.campaign("one")]

    /// Applies to devices of which Apple keeps one waiting, and does something to the registry meanwhile.
    private func apply(meanwhile change: @escaping @Sendable (AppleWorld) throws -> Void) async throws -> Run {
        var found: Run?
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator, timeout: "60s", devices: 3) { world in
                // The batch ends with this answer.
                try await simulator.fault("delay", ["milliseconds": 45_000, "limit": 1])
                async let run = world.apply(expecting: nil)
                try await eventually { try await simulator.requests >= 1 }
                try change(world)
                found = try await run
            }
        }
        return try #require(found)
    }

    @Test func aRegistryThatIsReplacedWhileItIsSentFromIsUnknownAndSaidSo() async throws {
        let run = try await apply { world in
            let path = world.path("devices.sqlite")
            try FileManager.default.copyItem(atPath: path, toPath: path + ".new")
            #expect(rename(path + ".new", path) == 0)
        }
        #expect(run.status == 7, "\(run.everything)")
        #expect(run.errors.contains("devices.sqlite' was replaced while it was in use"), "\(run.everything)")
        #expect(run.errors.contains("'-wal' and '-shm'") && !run.output.contains("✓ campaign"), "\(run.everything)")
    }

    /// As `cp` does: the file stays the same one, and its size.
    @Test func aRegistryThatIsOverwrittenByOneAsLargeWhileItIsSentFromIsUnknownAndSaidSo() async throws {
        let run = try await apply { world in
            let path = world.path("devices.sqlite")
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: before)
            try file.close()
        }
        #expect(run.status == 7, "\(run.everything)")
        #expect(run.errors.contains("devices.sqlite' was overwritten while it was in use"), "\(run.everything)")
        #expect(!run.output.contains("✓ campaign"), "\(run.everything)")
    }

    @Test func aRegistryThatIsRemovedWhileItIsSentFromIsUnknownAndSaidSo() async throws {
        let run = try await apply { world in
            for ending in ["", "-wal", "-shm"] { unlink(world.path("devices.sqlite" + ending)) }
        }
        #expect(run.status == 7, "\(run.everything)")
        #expect(run.errors.contains("devices.sqlite' was removed or renamed"), "\(run.everything)")
    }

    @Test(arguments: [false, true]) func aHalfCopyIsNeitherPlannedNorApplied(isFile: Bool) async throws {
        let variables =
            isFile ? [:] : ["DATABASE_URL": try await PostgresServer.databaseURL(like: PostgresServer.template)]
        let registry = isFile ? "{sqlite: devices.sqlite}" : "{postgres: {env: DATABASE_URL}}"
        try await AppleWorld.run(Self.files, registry: registry, variables: variables) { world in
            let place = variables["DATABASE_URL"] ?? world.path("devices.sqlite")
            let source = try Registry.test(at: world.path("source.sqlite"))
            _ = try await source.seed(devices: 5, at: AppleWorld.now)
            let target = try await Registry.existing(place)
            let copying = Task {
                try await target.copy(everythingOf: source) { table, _ in
                    if table == "deployRecord" { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            _ = try? await copying.value
            await target.shutDown()
            source.close()
            for arguments in [["plan"], ["apply", "--auto-approve"], ["status"]] {
                let run = try await Program.run(arguments, environment: world.variables, folder: world.folder)
                #expect(run.status == 1, "\(arguments): \(run.everything)")
                #expect(run.errors.contains("run 'bugle-server copy"), "\(arguments): \(run.everything)")
            }
            let copied = try await FinishedProgram.run(
                "bugle-server", ["copy", "--from", world.path("source.sqlite"), "--to", place], environment: [:])
            #expect(copied.ending == .exited(0), "\(copied)")
            #expect(try await world.bugle("status").status == 0)
        }
    }

    @Test func tooFewDescriptorsAreSaidBeforeTheLockIsTaken() async throws {
        try await AppleWorld.run(Self.files, devices: 3) { world in
            // With some of the fewer, git's pipes could be made in part only.
            for limit in Array(14...24) + [40] {
                let run = try await FinishedProgram.run(
                    "/bin/sh",
                    [
                        "-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", try BuiltProgram.path("bugle").string, "apply",
                        "--auto-approve",
                    ], environment: ["PATH": "/usr/bin:/bin", "USER": "tester"], folder: world.folder)
                #expect(run.ending == .exited(1), "\(run)")
                #expect(run.errors.contains("\(limit) open files, and 72 are needed"), "\(run)")
            }
            // It holds no lock.
            try await world.apply()
            #expect(try await world.received() == (3, 3, 0))
            let server = try await FinishedProgram.run(
                "/bin/sh",
                [
                    "-c", "ulimit -n 64; exec \"$0\" \"$@\"", try BuiltProgram.path("bugle-server").string, "serve",
                    "--listen", "127.0.0.1:0", "--app-id", "a", "--data", world.path("server.sqlite"),
                ],
                environment: ["PATH": "/usr/bin:/bin", "BUGLE_SERVER_KEY": "master-key-of-the-test"],
                folder: world.folder)
            #expect(server.ending == .exited(1), "\(server)")
            #expect(server.errors.contains("64 open files, and 128 are needed besides connections"), "\(server)")
        }
    }
}
