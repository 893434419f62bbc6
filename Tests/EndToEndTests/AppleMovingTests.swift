import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import PushServer
import Testing

/// From a service with LeanCloud's API straight to Apple: what was delivered there is not delivered again.
@Suite struct AppleMovingTests {
    /// A workspace that has both remotes, with one device that both know.
    private func run(_ files: [String: String], _ test: (World, AppleWorld) async throws -> Void) async throws {
        try await AppleWorld.run(devices: 1) { apple in
            let remotes = """
                  apple:
                    type: apns
                    registry: {sqlite: \(apple.path("devices.sqlite"))}
                    hosts: {production: "\(apple.simulator.url)"}
                    ca: ca.pem
                """
            try await World.run(files, remotes: remotes) { world in
                for name in ["ca.pem", "key.p8"] {
                    try FileManager.default.copyItem(atPath: apple.path(name), toPath: world.path(name))
                }
                try world.write("profile.yaml", apple.profile())
                try await world.devices(1)
                try await test(world, apple)
            }
        }
    }

    @Test func whatWasDeliveredIsNotDeliveredAgain() async throws {
        let later = String.campaign("later", more: "schedule: {at: 2026-12-01T12:00:00Z}\nexpiration: {after: 7d}")
        try await run(["a.yaml": .giants, "one.yaml": .campaign("one"), "later.yaml": later]) { world, apple in
            try await world.apply()
            let copied = try await world.bugle("ledger", "copy", "--from", "local", "--to", "apple")
            #expect(copied.status == 0, "\(copied.everything)")
            #expect(copied.output.contains("1 of 1 deliveries copied to apple, 1 left on local"), "\(copied.output)")
            #expect(
                copied.errors.contains("later@1") && copied.errors.contains("cancel it on local"), "\(copied.errors)")
            try world.write("two.yaml", .campaign("two"))
            try world.remove("later.yaml")
            try await world.apply("--remote", "apple")
            #expect(try await apple.simulator.texts(apple.token(0)) == ["two"])
            // And back: what Apple delivered is not sent by the service.
            let back = try await world.bugle("ledger", "copy", "--from", "apple", "--to", "local")
            #expect(back.status == 0, "\(back.everything)")
            try await world.apply()
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func whatIsOpenKeepsTheLedgerWhereItIs() async throws {
        try await run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world, apple in
            // The service takes the push, and the apply dies before it hears of it.
            let process = Promise<Int32>()
            world.onRequest { request, instant in
                guard request.path == "/1.1/push", instant == .beforeAnswering else { return }
                kill(await process.value, SIGKILL)
            }
            _ = try await world.bugle("apply", "--auto-approve", started: process.fulfil)
            world.onRequest(nil)
            #expect(try await world.ledger() == ["one": "sending"])
            // Its lock outlives it: whether it goes on is not known.
            let locked = try await world.bugle("ledger", "copy", "--from", "local", "--to", "apple")
            #expect(locked.status == 11, "\(locked.everything)")
            world.advance(.seconds(130))
            let refused = try await world.bugle("ledger", "copy", "--from", "local", "--to", "apple")
            #expect(refused.status == 7, "\(refused.everything)")
            #expect(refused.errors.contains("one@1 is sending"), "\(refused.errors)")
            #expect(refused.errors.contains("--remote local"), "\(refused.errors)")
            let status = try await world.bugle("status", "--remote", "apple", "--format", "json")
            #expect(try JSONValue(parsing: status.output)["deliveries"]?.array?.isEmpty == true, "\(status.everything)")
            // Once the source knows, it is copied.
            try await world.apply()
            let copied = try await world.bugle("ledger", "copy", "--from", "local", "--to", "apple")
            #expect(copied.status == 0, "\(copied.everything)")
            try await world.apply("--remote", "apple")
            #expect(try await apple.received().messages == 0)
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }
}
