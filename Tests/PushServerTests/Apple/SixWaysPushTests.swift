import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import PushServer
import Testing

@testable import APNsSimulator

/// One push of LeanCloud's API through six services, as everything that tells of it counts their devices.
@Suite struct SixWaysPushTests {
    private static let isLong = ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil

    private static let topics: [PushVendor: String] = [.apns: "com.example.app", .fcm: "giants-app"]

    private func address(_ vendor: PushVendor, _ number: Int) -> String {
        vendor == .apns ? AppleWorld.token(number) : "\(vendor.rawValue)-Device\(number):APA91b-kept"
    }

    /// The name of a device at the simulator.
    private func device(_ vendor: PushVendor, _ number: Int) -> String {
        vendor == .apns ? AppleWorld.token(number) : "\(vendor.rawValue):" + address(vendor, number)
    }

    /// Registers so many devices of a service, which knows them.
    private func register(_ count: Int, of vendor: PushVendor, in world: AppleWorld) async throws {
        let time = JSONValue.string(AppleWorld.now.isoText)
        for start in stride(from: 0, to: count, by: 10_000) {
            let objects = try (start..<min(start + 10_000, count)).map { number in
                let id = "\(vendor.rawValue)\(number)"
                var fields: JSONObject = [
                    "objectId": .string(id), "createdAt": time, "updatedAt": time, "channels": ["news"],
                    "deviceType": vendor == .apns ? "ios" : "android",
                ]
                if vendor == .apns {
                    fields["deviceToken"] = .string(address(vendor, number))
                } else {
                    fields["installationId"] = .string(id)
                    fields["vendor"] = .string(vendor.rawValue)
                    fields["registrationId"] = .string(address(vendor, number))
                }
                return try TransferredObject(fields)
            }
            let outcomes = try await world.server.registry.transfer(objects, into: .installation)
            #expect(outcomes.allSatisfy { $0 == .added })
        }
        for number in 0..<count {
            try world.apple.register(
                token: device(vendor, number), topic: Self.topics[vendor] ?? vendor.rawValue)
        }
    }

    /// Pushes to so many devices of each service, some of which are dead, while some answers are lost.
    private func push(to devices: [PushVendor: Int]) async throws {
        let profiles = devices.keys.sorted { $0.rawValue < $1.rawValue }.map { vendor in
            switch vendor {
            case .apns: AppleWorld.profile(isDefault: true)
            case .fcm: AppleWorld.android()
            case .hms, .harmony, .honor, .mi, .miGlobal, .oppo, .vivo: AppleWorld.vendor(vendor)
            }
        }
        try await AppleWorld.run(profiles: profiles) { world in
            for (vendor, count) in devices { try await register(count, of: vendor, in: world) }
            for number in 0..<2 { try world.apple.forget(token: device(.hms, number)) }
            // The answers of three devices of FCM are lost, and of one call to Xiaomi.
            world.apple.add(Fault(.reset(processed: true), limit: 3, service: "fcm"))
            world.apple.add(Fault(.reset(processed: true), limit: 1, service: "mi"))
            let record = try await world.push([
                "channels": ["news"], "data": ["alert": "one", "title": "Giants"],
            ])
            func number(_ name: String) -> Int { Int(record[name]?.integer ?? 0) }
            let all = devices.values.reduce(0, +)
            #expect(record["status"] == "done", "\(record)")
            #expect(number("devices") == all && number("invalidTokens") == 2, "\(record)")
            #expect(number("successes") + 2 + number("inDoubt") == all && number("missed") == 0, "\(record)")

            var doubts = 0
            let console = try ConsoleFixture(world.server.registry)
            let objectID = try #require(record["objectId"]?.string)
            let page = try await console.get("/console/pushes/" + objectID, cookie: console.logIn()).text
            let metrics = try await HTTPClient.sendText("GET", "/metrics", port: world.server.port).text
            for (vendor, count) in devices {
                let known = number(vendor == .apns ? "iosSuccesses" : "\(vendor.rawValue)Successes")
                let received = world.apple.inboxSummary(topic: Self.topics[vendor] ?? vendor.rawValue)
                #expect(
                    received.duplicates == 0 && received.devices == (vendor == .hms ? count - 2 : count), "\(vendor)")
                #expect(vendor == .fcm || vendor == .mi || known == received.devices, "\(vendor): \(known)")
                doubts += received.devices - known
                let dead = vendor == .hms ? 2 : 0
                for (outcome, count) in [
                    ("accepted", known), ("refused", dead), ("in_doubt", received.devices - known),
                ] {
                    let labels = "service=\"\(vendor.way)\",outcome=\"\(outcome)\""
                    let line = "bugle_notifications_total{\(labels)} \(count)\n"
                    #expect(metrics.contains(line), "\(line) \(metrics)")
                }
                #expect(
                    page.contains("<span class=\"way\">\(vendor.title) \(known.grouped)</span>"), "\(vendor): \(page)")
            }
            #expect(doubts == number("inDoubt") && doubts > 3, "\(record)")
        }
    }

    @Test func aPushUnderWaySaysWhatEachServiceHasTakenSoFar() async throws {
        let profiles = [AppleWorld.profile(isDefault: true), AppleWorld.android(), AppleWorld.vendor(.hms)]
        try await AppleWorld.run(profiles: profiles) { world in
            for (vendor, count) in [(PushVendor.apns, 3), (.fcm, 5), (.hms, 4)] {
                try await register(count, of: vendor, in: world)
            }
            // Huawei does not answer.
            world.apple.add(Fault(.stall(processed: false), service: "hms"))
            let answer = try await world.server.call(
                "POST", "/push", ["channels": ["news"], "data": ["alert": "one", "title": "Giants"]])
            let objectID = try #require(answer.body["objectId"]?.string, "\(answer.body)")
            let vendors = Dictionary(uniqueKeysWithValues: profiles.map { ($0.name, $0.vendor) })
            let console = try ConsoleFixture(world.server.registry, vendors: vendors)
            let cookie = try await console.logIn()
            try await eventually {
                let page = try await console.get("/console/pushes/" + objectID, cookie: cookie).text
                return [PushVendor.apns: 3, .fcm: 5].allSatisfy { vendor, count in
                    page.contains("<span class=\"way\">\(vendor.title) \(count)</span>")
                }
            }
            // Whoever asks it again is answered: the server stops at once.
            world.apple.removeFaults()
            await world.apple.disconnectAll()
        }
    }

    @Test func recordConsoleMetricsAndServicesAgreeOnWhomEachServiceReached() async throws {
        try await push(to: [.apns: 30, .fcm: 60, .hms: 150, .mi: 1200, .oppo: 40, .vivo: 50])
    }

    @Test(.enabled(if: isLong))
    func theyAgreeOnAHundredThousandDevices() async throws {
        try await push(to: [.apns: 25_000, .fcm: 25_000, .hms: 20_000, .mi: 12_000, .oppo: 10_000, .vivo: 8000])
    }
}
