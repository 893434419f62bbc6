import Base
import Foundation
import ProgramTesting
import Push
import Testing

/// Deliveries to devices with HarmonyOS NEXT, and to Honor's, with the built program and the vendors simulated.
@Suite(.serialized) struct HarmonyHonorTests {
    private static let ways = [Way.harmony, .honor]

    /// Runs a test with so many devices of each, which their services know; the second's begin at 1,000,000.
    private func run(devices: Int, _ test: (AppleWorld, AppleSimulator) async throws -> Void) async throws {
        let campaign = """
            kind: Campaign
            name: one
            environment: production
            audience: {channels: [Giants], platforms: [android]}
            message: {title: Giants, body: one, data: {game: "42"}}
            expiration: {after: 2h}

            """
        try await AppleSimulator.run(["--harmony", "5550001"]) { simulator in
            try await AppleWorld.run(["a.yaml": .giants, "one.yaml": campaign], on: simulator) { world in
                try world.write(
                    "bugle.yaml", world.workspace().replacing("hosts: {", with: "hosts: {" + world.androidHosts))
                for (index, way) in Self.ways.enumerated() {
                    try world.declare(way)
                    let start = index * 1_000_000
                    try await world.androids(start..<(start + devices), of: way)
                }
                try await test(world, simulator)
            }
        }
    }

    @Test func bothGetOneDeliveryEachInItsOwnWords() async throws {
        try await run(devices: 1200) { world, simulator in
            try await simulator.call("DELETE", "/devices/harmony:\(AppleWorld.registration(3))")
            try await simulator.call("DELETE", "/devices/honor:\(AppleWorld.registration(1_000_003))")
            let run = try await world.apply()
            #expect(run.output.contains("sent, 2,400 devices"), "\(run.everything)")
            for way in Self.ways { #expect(try await world.received(of: way) == (1199, 1199, 0), "\(way)") }
            #expect(try await world.status("one")["invalidTokens"] == 2)
            let harmony = try #require(
                try await simulator.inbox("harmony:\(AppleWorld.registration(0))").first?["data"])
            let shown = try #require(harmony["payload"]?["notification"])
            #expect(shown["title"] == "Giants" && shown["body"] == "one" && shown["category"] == "WORK", "\(harmony)")
            #expect(shown["clickAction"]?["data"]?["game"] == "42", "\(harmony)")
            #expect((1...7200).contains(harmony["pushOptions"]?["ttl"]?.integer ?? 0), "\(harmony)")
            let honor = try #require(
                try await simulator.inbox("honor:\(AppleWorld.registration(1_000_000))").first?["data"]?["android"])
            #expect(honor["notification"]?["title"] == "Giants" && honor["notification"]?["body"] == "one", "\(honor)")
            try await world.apply()
            for way in Self.ways { #expect(try await world.received(of: way).messages == 1199, "\(way)") }
        }
    }

    @Test func anAccountThatHuaweiDoesNotKnowSendsNothingAndDoctorDoesNotCallItAccepted() async throws {
        try await run(devices: 3) { world, _ in
            let file = try String(contentsOfFile: world.path("harmony.json"), encoding: .utf8)
            try world.write("harmony.json", file.replacing("\"key-1\"", with: "\"key-2\""))
            let doctor = try await world.bugle("doctor")
            #expect(
                doctor.everything.contains("not asked: HarmonyOS has no call that sends nothing"),
                "\(doctor.everything)")
            let run = try await world.apply(expecting: nil)
            #expect([4, 8].contains(run.status), "\(run.everything)")
            #expect(run.everything.contains("the access token is not accepted"), "\(run.everything)")
            #expect(try await world.received(of: .harmony).messages == 0)
        }
    }

    @Test func anotherSecretOfHonorsSendsNothing() async throws {
        try await run(devices: 3) { world, _ in
            try world.write("secret", "another-secret")
            let run = try await world.apply(expecting: nil)
            #expect([4, 8].contains(run.status), "\(run.everything)")
            #expect(run.everything.contains("check clientId and clientSecret"), "\(run.everything)")
            #expect(!run.everything.contains("another-secret"))
            #expect(try await world.received(of: .honor).messages == 0)
        }
    }

    @Test func anAccessTokenThatHasEndedIsRenewedAndNothingIsSentTwice() async throws {
        try await run(devices: 1500) { world, simulator in
            try await simulator.fault("refuse", ["status": 401, "reason": "HTTP 401", "limit": 1, "service": "honor"])
            try await world.apply(expecting: nil)
            try await world.apply()
            for way in Self.ways { #expect(try await world.received(of: way) == (1500, 1500, 0), "\(way)") }
        }
    }

    @Test(arguments: Self.ways) func aLostCallIsInDoubtAndNeverMadeAgain(way: Way) async throws {
        try await run(devices: 1200) { world, simulator in
            try await simulator.fault("reset", ["processed": true, "limit": 1, "service": .string(way.rawValue)])
            let run = try await world.apply(expecting: 7)
            try await world.apply(expecting: 7)
            let status = try await world.status("one")
            #expect([200, 1000].contains(status["inDoubt"]?.integer), "\(status), \(run.everything)")
            for way in Self.ways { #expect(try await world.received(of: way) == (1200, 1200, 0), "\(way)") }
        }
    }
}
