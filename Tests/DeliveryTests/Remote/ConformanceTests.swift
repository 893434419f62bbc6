import Base
import DeliveryTesting
import DeviceRegistry
import Foundation
import Push
import RemoteTesting
import Testing

@testable import Delivery

@Suite struct ConformanceTests {
    @Test func theRemoteKeepsToWhatEveryRemoteKeepsTo() async throws {
        let world = try RemoteWorld()
        let folder = world.folder
        let conformance = RemoteConformance(
            reader: try world.reader(), writer: world.writer(),
            neighbour: ("reds", try world.reader(of: "reds"), world.writer(of: "reds")),
            pass: { world.clock.advance($0) },
            footprint: {
                ["", "-wal"].map { suffix in
                    let data = FileManager.default.contents(atPath: folder + "/devices.sqlite" + suffix) ?? Data()
                    return Digest(of: Array(data)).hexadecimal
                }.joined()
            },
            devices: ConformanceDevices(
                register: { device, age in
                    _ = try await world.registry.create(
                        device.object ?? [:], in: .installation, as: .master,
                        at: Instant(milliseconds: (world.clock.now - age).milliseconds))
                },
                audience: { condition in
                    [
                        "where": condition,
                        "routes": [
                            ["profile": "main", "topic": "com.example.app", "default": true],
                            ["profile": "driver", "topic": "com.example.driver"],
                        ],
                    ]
                }))
        let violations = await conformance.violations()
        #expect(violations == [])
    }

    @Test func theReaderCannotWrite() async throws {
        let world = try RemoteWorld()
        // Its connection is the registry's read-only one: there is no writing half to reach.
        let reader: Any = try Registry.openReadOnly(path: world.folder + "/devices.sqlite")
        #expect(!(reader is Journal))
    }

    @Test func theDescriptionNamesTheRegistryAndTellsRemotesApart() {
        let one = APNsRemote.description(
            name: "apple", registry: "/var/devices.sqlite", label: "devices.sqlite", hosts: [:])
        #expect(one.title == "Apple · devices.sqlite")
        #expect(one.type == .apns)
        let other = APNsRemote.description(
            name: "apple", registry: "/var/other.sqlite", label: "devices.sqlite", hosts: [:])
        let elsewhere = APNsRemote.description(
            name: "apple", registry: "/var/devices.sqlite", label: "devices.sqlite",
            hosts: ["production": "https://127.0.0.1:1"])
        #expect(Set([one.fingerprint, other.fingerprint, elsewhere.fingerprint]).count == 3)
    }

    @Test func aCountIsOfTheConditionAndItsRoutes() async throws {
        let world = try RemoteWorld()
        try await world.register(30)
        try await world.register(10, profile: "other", from: 100)
        let reader = try world.reader()
        let request = world.order { $0.target = .condition(["scores": true]) }.request
        let audience = try #require(reader.encoder.audience(of: request))
        #expect(try await reader.count(audience).devices == 10)
        let everybody = try #require(reader.encoder.audience(of: world.order().request))
        #expect(try await reader.count(everybody).devices == 30)
        #expect(reader.encoder.audience(of: world.order { $0.target = .devices(["00"]) }.request) == nil)
    }

    @Test(
        arguments: [[:], ["where": [:]], ["where": [:], "routes": []], ["where": [:], "routes": [["profile": 1]]]]
            as [JSONValue])
    func aCountOfSomethingElseIsRefused(_ condition: JSONValue) async throws {
        let reader = try RemoteWorld().reader()
        await #expect(throws: RemoteError.self) { try await reader.count(condition) }
    }

    @Test func theSampleTellsChannelsAndProfiles() async throws {
        let world = try RemoteWorld()
        try await world.register(4)
        let sample = try await world.reader().sampleInstallations(channels: ["Giants"], deviceProfiles: ["app"])
        #expect(sample.size == 4)
        #expect(sample.deviceProfiles == ["app": 4])
        #expect(sample.bearers == ["app": 4])
        #expect(sample.subscribers == ["Giants": 0])
    }
}
