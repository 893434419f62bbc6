import Base
import DeviceRegistry
import Foundation
import Push
import Testing

/// A delivery straight to Apple: who gets it, which tokens die of it, and what is never done.
@Suite struct AppleDeliveryTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": String.campaign("one")]

    @Test func everyDeviceGetsItOnceAndThenThereIsNothingToDo() async throws {
        try await AppleWorld.run(Self.files, devices: 250) { world in
            let run = try await world.apply()
            #expect(run.output.contains("sent, 250 devices"), "\(run.everything)")
            #expect(try await world.received() == (250, 250, 0))
            let push = try #require(try await world.simulator.inbox(world.token(7)).first)
            #expect(push["topic"]?.string == world.topic)
            #expect(push["pushType"] == "alert")
            #expect(push["data"] == ["aps": ["alert": ["body": "one"]]] || push["data"] == ["aps": ["alert": "one"]])
            let plan = try await world.bugle("plan", "--detailed-exitcode")
            #expect(plan.status == 0, "\(plan.everything)")
            try await world.apply()
            #expect(try await world.received() == (250, 250, 0))
        }
    }

    @Test func deadTokensAreMarkedUnlessTheirDeviceRegisteredLater() async throws {
        try await AppleWorld.run(Self.files, devices: 20) { world in
            let hour: Int64 = 3_600_000
            let died = AppleWorld.now.milliseconds - hour
            // The first two died after they had registered, the third registered since.
            try await world.devices(20..<22, since: Instant(milliseconds: died - hour))
            try await world.devices(22..<23)
            for index in 20..<23 {
                try await world.simulator.call(
                    "POST", "/devices/\(world.token(index))/unregister", ["at": .integer(died)])
            }
            let run = try await world.apply()
            #expect(try await world.received() == (20, 20, 0), "\(run.everything)")
            #expect(try await world.device(20)["valid"] == false)
            #expect(try await world.device(21)["valid"] == false)
            #expect(try await world.device(22)["valid"] == true)
            #expect(try await world.device(0)["valid"] == true)
            #expect(try await world.status("one")["invalidTokens"] == 3)
        }
    }

    @Test func aWrongEnvironmentStopsTheDeliveryAndWipesNoRegistry() async throws {
        let development = try await AppleSimulator.development.running
        // The workspace says production, and what answers there is development.
        try await AppleWorld.run(Self.files, on: development, environment: "production") { world in
            try await world.devices(1500, isKnown: false)
            let known = (0..<1500).map { index -> JSONValue in
                [
                    "token": .string(world.token(index)), "topic": .string(world.topic),
                    "environment": "production",
                ]
            }
            try await development.call("POST", "/devices", ["devices": .array(known)])
            // The profile and the channel are recorded: applied in part.
            let run = try await world.apply(expecting: 8)
            #expect(run.everything.contains("wrongEnvironment"), "\(run.everything)")
            #expect(try await world.received() == (0, 0, 0))
            for index in stride(from: 0, to: 1500, by: 50) {
                #expect(try await world.device(index)["valid"] == true)
            }
        }
    }

    @Test func aServerOfAnotherAuthorityIsRefusedAndGetsNothing() async throws {
        let other = try await AppleSimulator.development.running
        try await AppleWorld.run(Self.files, devices: 3) { world in
            try world.write("ca.pem", try String(contentsOf: other.authority, encoding: .utf8))
            let run = try await world.apply("--retries", "0", expecting: 8)
            #expect(run.everything.contains("no secure connection"), "\(run.everything)")
            #expect(try await world.received() == (0, 0, 0))
            let doctor = try await world.bugle("doctor")
            #expect(doctor.status == 1 && doctor.everything.contains("no secure connection"), "\(doctor.everything)")
            // Nothing was put in doubt by it: with the right authority it is sent.
            try world.write("ca.pem", try String(contentsOf: world.simulator.authority, encoding: .utf8))
            try await world.apply()
            #expect(try await world.received() == (3, 3, 0))
        }
    }

    @Test func nothingButAnApplySendsOrWrites() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator, devices: 5) { world in
                /// The file, and what was written beside it; readers make an empty one.
                func bytes() -> [Data?] {
                    ["devices.sqlite", "devices.sqlite-wal"].map {
                        FileManager.default.contents(atPath: world.path($0)) ?? Data()
                    }
                }
                let before = bytes()
                for arguments in [
                    ["validate"], ["plan"], ["plan", "--out", "plan.json"], ["show", "plan.json"], ["status"],
                    ["plan", "--format", "json", "--record", "snapshot.json"], ["plan", "--against", "snapshot.json"],
                ] {
                    let run = try await Program.run(arguments, folder: world.folder)
                    #expect(run.status == 0, "\(arguments): \(run.everything)")
                    #expect(bytes() == before, "\(arguments)")
                }
                let statistics = try await simulator.call("GET", "/stats")
                #expect(statistics["connections"] == 0 && statistics["failedHandshakes"] == 0)
            }
        }
    }
}
