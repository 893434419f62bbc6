import Base
import Testing

/// `bugle test` through a server with LeanCloud's API.
@Suite struct TestCommandTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": .campaign("one")]

    private static func test(_ world: World, _ device: String) async throws -> Run {
        try await world.bugle("test", "one", "--environment", "production", "--device", device)
    }

    @Test func itSaysWhatBecameOfThePush() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let run = try await Self.test(world, "d0")
            #expect(run.status == 0, "\(run.everything)")
            #expect(
                run.output.hasPrefix("The device is simulated by the server and received it: push "), "\(run.output)")
            #expect(try await world.inbox("d0").count == 1)
        }
    }

    @Test func aDeviceThatIsNotRegisteredIsSentNothing() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let run = try await Self.test(world, String(repeating: "ab", count: 32))
            #expect(run.status == 1, "\(run.everything)")
            #expect(run.errors.contains("no device of this kind that was seen"), "\(run.errors)")
            #expect(try await world.inbox("d0").isEmpty)
        }
    }

    @Test(arguments: ["", "token", "abc", "<740f 4707>", String(repeating: "ab", count: 101)])
    func whatIsNoTokenIsRefused(device: String) async throws {
        try await World.run(Self.files) { world in
            let run = try await Self.test(world, device)
            #expect(run.status == 64, "\(run.everything)")
            #expect(run.errors.contains("is not a device token"), "\(run.errors)")
            #expect(world.takeSeen().isEmpty)
        }
    }
}
