import Base
import Delivery
import Foundation
import ProgramTesting
import Push
import PushServer
import Testing

@testable import APNsSimulator

/// Pushes of LeanCloud's API to Android devices that FCM reaches, beside Apple's.
@Suite struct AndroidPushTests {
    private func registration(_ number: Int) -> String { "Device\(number):APA91b-in_its_Case" }

    /// An Android device of the registry that FCM knows.
    private func device(_ number: Int, _ fields: JSONValue = [:], in world: AppleWorld) async throws {
        try world.apple.register(token: "fcm:" + registration(number), topic: "giants-app")
        var device: JSONValue = [
            "deviceType": "android", "installationId": .string("installation\(number)"), "vendor": "fcm",
            "registrationId": .string(registration(number)), "channels": ["news"],
        ]
        for (name, value) in fields.object ?? [:] { device[name] = value }
        let answer = try await world.server.call("POST", "/installations", device)
        #expect(answer.status == 201, "\(answer.body)")
    }

    private func message(_ number: Int, in world: AppleWorld) throws -> JSONValue? {
        try world.apple.inbox(of: "fcm:" + registration(number)).last.map {
            try JSONValue(parsing: $0.payload)["message"] ?? .null
        }
    }

    @Test func aPushReachesBothServicesAndTheRecordCountsEach() async throws {
        try await AppleWorld.run(profiles: [AppleWorld.profile(), AppleWorld.android()]) { world in
            for number in 0..<3 { try await device(number, in: world) }
            try await device(3, ["vendor": "lc"], in: world)
            try await device(4, ["vendor": "oppo"], in: world)
            try await world.device(1)
            let record = try await world.push([
                "data": [
                    "alert": "Game at seven", "title": "Giants", "game": "42", "badge": "Increment",
                    "_notificationChannel": "games", "fcm": ["android": ["ttl": "60s"]],
                ]
            ])
            #expect(record["status"] == "done" && record["successes"] == 4, "\(record)")
            #expect(record["fcmSuccesses"] == 3 && record["iosSuccesses"] == 1, "\(record)")
            #expect(record["leftOut"]?["notApple"] == 2, "\(record)")
            let message = try #require(try message(1, in: world))
            #expect(message["notification"] == ["title": "Giants", "body": "Game at seven"])
            #expect(message["android"]?["ttl"] == "60s")
            #expect(message["android"]?["notification"]?["channel_id"] == "games")
            let payload = try JSONValue(parsing: try #require(message["data"]?["payload"]?.string))
            #expect(payload["game"] == "42" && payload["_channel"] == "games", "\(payload)")
            #expect(world.apple.inbox(of: AppleWorld.token(1)).count == 1)
        }
    }

    @Test func androidDevicesAreNamedByTheirInstallationsOrRegistrations() async throws {
        try await AppleWorld.run(profiles: [AppleWorld.profile(), AppleWorld.android()]) { world in
            for number in 0..<3 { try await device(number, in: world) }
            try await world.push(
                ["device_type": "android", "device_ids": ["installation1"], "data": ["alert": "one"]],
                to: "/push/devices")
            try await world.push(
                [
                    "device_type": "android", "vendor": "fcm", "device_ids": [.string(registration(2))],
                    "data": ["alert": "two"],
                ], to: "/push/devices")
            #expect(try message(0, in: world) == nil)
            #expect(try message(1, in: world)?["notification"]?["body"] == "one")
            #expect(try message(2, in: world)?["notification"]?["body"] == "two")
        }
    }

    @Test func theNotificationChannelMayStandBesideTheContent() async throws {
        try await AppleWorld.run(profiles: [AppleWorld.android()]) { world in
            try await device(0, in: world)
            func channel() throws -> JSONValue? {
                try message(0, in: world)?["android"]?["notification"]?["channel_id"]
            }
            try await world.push(["data": ["alert": "one"], "_notificationChannel": "games"])
            #expect(try channel() == "games")
            try await world.push(
                ["data": ["alert": "two", "_notificationChannel": "news"], "_notificationChannel": "games"])
            #expect(try channel() == "news")
            try await world.push(
                [
                    "device_type": "android", "device_ids": ["installation0"], "channel": "scores",
                    "data": ["alert": "three"],
                ], to: "/push/devices")
            #expect(try channel() == "scores")
        }
    }

    @Test func aServerOfAndroidDevicesNeedsNoCertificate() async throws {
        try await AppleWorld.run(profiles: [AppleWorld.android()]) { world in
            try await device(0, in: world)
            try await device(1, ["deviceProfile": "driver"], in: world)
            let record = try await world.push(["channels": ["news"], "data": ["alert": "one", "silent": true]])
            #expect(record["successes"] == 1 && record["fcmSuccesses"] == 1, "\(record)")
            #expect(try message(0, in: world)?["notification"] == nil)
            #expect(try message(1, in: world) == nil)
            func ways() async throws -> String? {
                let answer = try await world.server.call("GET", "/date")
                return answer.headers["x-bugle-devices"] ?? answer.headers["X-Bugle-Devices"]
            }
            #expect(try await ways() == "fcm")
            // The workspace is read again.
            let profiles = [AppleWorld.profile(), AppleWorld.android()]
            world.server.server.use(AppleService(profiles: profiles, senders: world.pool.senders()))
            #expect(try await ways() == "apple, fcm")
            #expect(try await world.server.call("GET", "/bugle/server").body["devices"] == "apple, fcm")
        }
    }

    @Test func aServiceWhoseCredentialIsNotHereIsNoWay() async throws {
        var absent = AppleWorld.vendor(.mi)
        absent.facts = nil
        try await AppleWorld.run(profiles: [AppleWorld.android(), absent]) { (world) async throws in
            #expect(try await world.server.call("GET", "/bugle/server").body["devices"] == "fcm")
        }
    }

    @Test func theProfileOfAnInstallationIsItsVendors() async throws {
        let profiles = [
            AppleWorld.profile("driver", isDefault: true), AppleWorld.android("cars", installations: "driver"),
            AppleWorld.android(),
        ]
        try await AppleWorld.run(profiles: profiles) { world in
            try await device(0, ["deviceProfile": "driver"], in: world)
            try await device(1, in: world)
            let record = try await world.push(["channels": ["news"], "data": ["alert": "one"]])
            #expect(record["fcmSuccesses"] == 2, "\(record)")
        }
    }

    @Test func theNameOfTheAppStandsAboveATextAndNeverAlone() async throws {
        try await AppleWorld.run(
            profiles: [AppleWorld.android()], configure: { $0.apple?.app = ShownApp(name: "Giants") }
        ) { (world) async throws in
            try await device(0, in: world)
            try await world.push(["data": ["content-available": 1, "game": "42"]])
            let background = try #require(try message(0, in: world))
            #expect(background["notification"] == nil, "\(background)")
            #expect(background["android"]?["notification"] == nil, "\(background)")
            for data in [["alert": "Game at seven"], ["alert": "Game at seven", "title": ""]] as [JSONValue] {
                try await world.push(["data": data])
                let shown = try #require(try message(0, in: world))
                #expect(shown["notification"] == ["title": "Giants", "body": "Game at seven"], "\(shown)")
            }
            // As whoever only counts the badges of iPhones sends it.
            try await world.push(["data": ["alert": "", "badge": "Increment"]])
            let counted = try #require(try message(0, in: world))
            #expect(counted["notification"] == nil, "\(counted)")
            #expect(counted["android"]?["notification"] == nil, "\(counted)")
        }
    }

    @Test func noOtherProfileTakesTheDevicesOfADefaultThatCannotPush() async throws {
        var absent = AppleWorld.android()
        absent.facts = nil
        let profiles = [absent, AppleWorld.android("cars", installations: "driver")]
        try await AppleWorld.run(profiles: profiles) { world in
            try await device(0, in: world)
            try await device(1, ["deviceProfile": "driver"], in: world)
            let record = try await world.push(["channels": ["news"], "data": ["alert": "one"]])
            #expect(record["fcmSuccesses"] == 1 && record["devices"] == 1, "\(record)")
            #expect(try message(0, in: world) == nil)
        }
    }

    @Test func aDeadAddressIsMarkedAndComesBackWithItsNextRegistration() async throws {
        try await AppleWorld.run(profiles: [AppleWorld.profile(), AppleWorld.android()]) { world in
            for number in 0..<4 { try await device(number, in: world) }
            try world.apple.unregister(token: "fcm:" + registration(2))
            let record = try await world.push(["channels": ["news"], "data": ["alert": "one"]])
            #expect(record["fcmSuccesses"] == 3 && record["invalidTokens"] == 1, "\(record)")
            #expect(record["errors"] == "部分推送被 FCM 拒绝，拒绝原因是: UNREGISTERED", "\(record)")
            let again = try await world.push(["channels": ["news"], "data": ["alert": "two"]])
            #expect(again["successes"] == 3 && again["invalidTokens"] ?? 0 == 0, "\(again)")
            // The app registers again, as it does when it starts, with what Google gives it now.
            try world.apple.register(token: "fcm:" + registration(12), topic: "giants-app")
            let answer = try await world.server.call(
                "POST", "/installations",
                [
                    "deviceType": "android", "installationId": "installation2", "vendor": "fcm",
                    "registrationId": .string(registration(12)),
                ])
            #expect(answer.status == 200, "\(answer.body)")
            let third = try await world.push(["channels": ["news"], "data": ["alert": "three"]])
            #expect(third["successes"] == 4, "\(third)")
            #expect(world.apple.inbox(of: "fcm:" + registration(12)).count == 1)
        }
    }

    @Test func whatIsTooLargeForFCMIsRefusedAtOnce() async throws {
        try await AppleWorld.run(profiles: [AppleWorld.profile(), AppleWorld.android()]) { world in
            let text = String(repeating: "x", count: 2100)
            let answer = try await world.server.call("POST", "/push", ["data": ["alert": .string(text)]])
            #expect(answer.status == 413 && answer.body["error"]?.string?.contains("FCM") == true, "\(answer.body)")
        }
    }

    @Test(arguments: [[], [AppleWorld.profile()], [AppleWorld.profile(isHere: false)]])
    func aMessageThatNoVendorTakesIsRefusedAsThatWhateverTheCertificate(apple: [DeviceProfile]) async throws {
        try await AppleWorld.run(profiles: apple + [AppleWorld.vendor(.mi)]) { (world) async throws in
            let refused = try await world.server.call(
                "POST", "/push", ["where": ["deviceType": "android"], "data": ["alert": "x"]])
            #expect(refused.status == 400)
            #expect(refused.body["error"]?.string?.contains("it shows no title and text") == true, "\(refused.body)")
        }
    }

    @Test func aPushForAndroidWhoseCredentialIsNotHereEndsAsThat() async throws {
        var absent = AppleWorld.vendor(.mi)
        absent.facts = nil
        try await AppleWorld.run(profiles: [absent]) { (world) async throws in
            let record = try await world.push([
                "where": ["deviceType": "android"], "data": ["alert": "x", "title": "Giants"],
            ])
            #expect(record["status"] == "error", "\(record)")
            #expect(record["errors"] == "No DeviceProfile of 'production' can push to Android devices here.")
        }
    }

    @Test func whatAServerReachesIsListedByService() {
        let profiles = [
            AppleWorld.vendor(.mi), AppleWorld.profile(), AppleWorld.profile("driver"), AppleWorld.android(),
            AppleWorld.profile("absent", isHere: false),
        ]
        #expect(profiles.reach == "Apple's devices are reached by app, driver; FCM's by android; Xiaomi's by mi")
        #expect([AppleWorld.vendor(.mi)].reach == "Xiaomi's devices are reached by mi")
        #expect([AppleWorld.profile(isHere: false)].reach == nil)
    }

    @Test func theRecordOfAPushThatWaitsNamesTheServiceThatCannotBeReached() async throws {
        let outage = Outage()
        try await AppleWorld.run(
            profiles: [AppleWorld.android()], configure: { outage.begin(in: &$0) }
        ) { (world) async throws in
            try await device(0, in: world)
            async let record = world.push(["channels": ["news"], "data": ["alert": "one"]])
            try await eventually {
                let records = try await world.server.call("GET", "/notifications").body["results"]?.array
                return records?.first?["waiting"] != nil && records?.first?["waitingFor"] == "fcm"
            }
            outage.end()
            #expect(try await record["fcmSuccesses"] == 1)
            #expect(try await record["waitingFor"] == nil)
        }
    }
}
