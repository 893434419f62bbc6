import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import PushServer
import RegistryTesting
import Subprocess
import SystemPackage
import Testing

@Suite struct MovingTests {
    private func pull(from world: World, into data: String) async throws -> Int32? {
        let result = try await Subprocess.run(
            .path(try BuiltProgram.path("bugle-server")),
            arguments: ["pull", "--from", world.url, "--app-id", "giants-demo", "--data", data],
            environment: .custom(["LEANCLOUD_MASTER_KEY": World.masterKey, "PATH": "/usr/bin:/bin"]), input: .none,
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard case .exited(let status) = result.terminationStatus else { return nil }
        return status
    }

    private func count(_ registry: Registry, _ className: String, _ condition: JSONValue = [:]) async throws -> Int? {
        var query = ObjectQuery()
        query.condition = condition
        query.countsAll = true
        return try await registry.find(query, in: try ClassName(className), as: .master).count
    }

    /// What an app delivered with LeanCloud is known to the server that takes its place.
    @Test func afterAPullTheNewServerGoesOnWhereTheOldOneStood() async throws {
        let segment = "kind: Segment\nname: fans\nwhere: {scores: true}\n"
        try await World.run(["a.yaml": .giants, "b.yaml": .campaign("one"), "s.yaml": segment]) { world in
            try await world.devices(3)
            // Several applies, so that the fence is well above 1.
            try await world.apply()
            for name in ["two", "three"] {
                try world.write("\(name).yaml", .campaign(name))
                try await world.apply()
            }
            let data = world.path(".moved.sqlite")
            #expect(try await pull(from: world, into: data) == 0)
            let registry = try Registry.test(at: data)
            defer { registry.close() }
            #expect(try await count(registry, "_Installation") == 3)
            #expect(try await count(registry, "BugleLedger") == 3)
            #expect(try await count(registry, "BugleLock", ["run": "", "fence": ["$gte": 3]]) == 1)
            var configuration = PushServerConfiguration(
                applicationID: "giants-demo", masterKey: ServerKey(World.masterKey))
            configuration.limits.bePatient()
            configuration.limits.pushPatience = .seconds(600)
            let server = PushServer(
                configuration, registry: registry, clock: ServerClock(standingAt: World.noon))
            let port = try await server.start()
            let file = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
            try world.write("bugle.yaml", file.replacing(world.url, with: "http://127.0.0.1:\(port)"))
            let plan = try await world.bugle("plan", "--detailed-exitcode")
            #expect(plan.status == 0, "nothing is to be done: \(plan.everything)")
            // What an earlier fence wrote can be changed, and a new campaign is sent once.
            try world.write("s.yaml", segment.replacing("true", with: "false"))
            try world.write("four.yaml", .campaign("four"))
            let applied = try await world.bugle("apply", "--auto-approve")
            #expect(applied.status == 0, "\(applied.everything)")
            for (text, messages) in [("one", 0), ("two", 0), ("three", 0), ("four", 1)] {
                let inbox = try await registry.inbox(of: "d0").filter { $0.data["alert"]?.string == text }
                #expect(inbox.count == messages, "\(text)")
            }
            // Pulled once more, nothing that the new server wrote is lost.
            #expect(try await pull(from: world, into: data) == 0)
            let again = try await world.bugle("plan", "--detailed-exitcode")
            #expect(again.status == 0, "\(again.everything)")
            await server.stop()
        }
    }

    /// Its own ledger is empty there, and would be so at the new server for good.
    @Test func aWorkspaceThatWasRenamedIsNotCopiedAsOneThatHasDeliveredNothing() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            try await world.apply()
            try await world.withNewServer { _, _, _ in
                let file = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
                try world.write("bugle.yaml", file.replacing("name: giants\n", with: "name: titans\n"))
                let refused = try await world.bugle("ledger", "copy", "--from", "local", "--to", "new")
                #expect(refused.status == 6, "\(refused.everything)")
                #expect(refused.everything.contains("say 'formerly: [giants]'"), "\(refused.everything)")
                try world.write(
                    "bugle.yaml", file.replacing("name: giants\n", with: "name: titans\nformerly: [giants]\n"))
                let copied = try await world.bugle("ledger", "copy", "--from", "local", "--to", "new")
                #expect(copied.status == 0, "\(copied.everything)")
                #expect(copied.output.contains("1 of 1 deliveries copied to new"), "\(copied.output)")
            }
        }
    }
}
