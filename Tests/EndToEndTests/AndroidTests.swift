import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import RegistryTesting
import Testing

/// Deliveries to Android devices through FCM, beside Apple's, with the built program and a simulated Google.
@Suite struct AndroidTests {
    private static let files = [
        "a.yaml": String.giants,
        "one.yaml": """
        kind: Campaign
        name: one
        environment: production
        audience: {channels: [Giants]}
        message: {title: Giants, body: one, data: {game: "42"}}
        expiration: {after: 7d}

        """,
    ]

    /// Runs a test with a project of its own; `android` devices subscribe to channel Giants beside `apple`.
    private func run(
        _ files: [String: String] = files, apple: Int = 0, android: Int = 0, _ simulator: [String] = [],
        _ test: (AppleWorld, AppleSimulator) async throws -> Void
    ) async throws {
        try await AppleSimulator.run(["--fcm", "giants-app"] + simulator) { simulator in
            try await AppleWorld.run(on: simulator) { world in
                try world.write(
                    "bugle.yaml",
                    world.workspace(policy: "{languageField: language}")
                        .replacing("type: apns", with: "type: direct")
                        .replacing("hosts: {", with: "hosts: {" + world.androidHosts))
                try world.declare(.fcm, named: "android")
                for (path, text) in files { try world.write(path, text) }
                try await world.devices(apple)
                try await Self.register(0..<android, in: world)
                try await test(world, simulator)
            }
        }
    }

    private static func registration(_ index: Int) -> String { AppleWorld.registration(index) }

    private static func register(
        _ indices: Range<Int>, in world: AppleWorld, isKnown: Bool = true, fields: JSONObject = [:]
    ) async throws {
        try await world.androids(indices, isKnown: isKnown, fields: fields)
    }

    private func fields(of index: Int, in world: AppleWorld) async throws -> JSONObject {
        let registry = try Registry.test(at: world.path("devices.sqlite"))
        defer { registry.close() }
        return try #require(try await registry.object("android\(index)", in: .installation, as: .master)).fields
    }

    @Test func devicesOfBothServicesGetItOnceAndEachInItsOwnForm() async throws {
        try await run(apple: 30, android: 500) { world, simulator in
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("530 devices"), "\(plan.everything)")
            #expect(plan.output.contains("by service    500 FCM · 30 Apple"), "\(plan.everything)")
            let run = try await world.apply()
            #expect(run.output.contains("sent, 530 devices"), "\(run.everything)")
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(500))
            #expect(try await world.received() == (30, 30, 0))
            let inbox = try await simulator.inbox("fcm:" + Self.registration(7))
            let message = try #require(inbox.first?["data"]?["message"])
            #expect(message["notification"] == ["title": "Giants", "body": "one"])
            #expect(message["android"]?["priority"] == "HIGH")
            let payload = try JSONValue(parsing: try #require(message["data"]?["payload"]?.string))
            #expect(payload == ["alert": "one", "title": "Giants", "game": "42"])
            try await world.apply()
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(500))
            let status = try await world.status("one")
            #expect(status["successes"] == 530 && status["inDoubt"] ?? 0 == 0, "\(status)")
        }
    }

    private static func summary(_ devices: Int64) -> JSONValue {
        ["devices": .integer(devices), "messages": .integer(devices), "duplicates": 0]
    }

    @Test func whoHasNoWayIsLeftOutAndCounted() async throws {
        try await run(android: 3) { world, simulator in
            try await Self.register(10..<12, in: world, fields: ["vendor": "lc"])
            try await Self.register(12..<13, in: world, fields: ["vendor": "oppo"])
            try await Self.register(13..<14, in: world, fields: ["registrationId": ""])
            try await Self.register(14..<15, in: world, fields: ["deviceProfile": "driver"])
            // Another case of the vendor is the same vendor, and two rows with one address are one device.
            try await Self.register(15..<16, in: world, fields: ["vendor": "FCM"])
            try await Self.register(
                16..<17, in: world, fields: ["registrationId": .string(Self.registration(0))])
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("4 devices"), "\(plan.everything)")
            let noWay = "4 Android: no way to them here: 3 of no vendor (LeanCloud's own channel), 1 OPPO without"
            #expect(plan.output.contains(noWay), "\(plan.everything)")
            let run = try await world.apply()
            #expect(run.output.contains("sent, 4 devices"), "\(run.everything)")
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(4))
        }
    }

    @Test func aDeadAddressIsMarkedAndItsDeviceKeepsItsRow() async throws {
        try await run(android: 20) { world, simulator in
            for index in 0..<3 {
                try await simulator.call("POST", "/devices/fcm:\(Self.registration(index))/unregister")
            }
            let run = try await world.apply()
            #expect(run.output.contains("sent, 20 devices"), "\(run.everything)")
            #expect(try await fields(of: 1, in: world)["valid"] == false)
            #expect(try await fields(of: 1, in: world)["registrationId"]?.string == Self.registration(1))
            #expect(try await fields(of: 5, in: world)["valid"] != false)
            #expect(try await world.status("one")["invalidTokens"] == 3)
        }
    }

    @Test func anAddressOfAnotherProjectIsRefusedAndKept() async throws {
        try await run(android: 20) { world, simulator in
            try await simulator.call(
                "POST", "/devices", ["token": .string("fcm:" + Self.registration(4)), "topic": "another-app"])
            try await world.apply(expecting: nil)
            #expect(try await fields(of: 4, in: world)["valid"] != false)
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(19))
        }
    }

    @Test func whereNobodyIsAcceptedNoAddressIsDropped() async throws {
        try await run { world, simulator in
            try await Self.register(0..<900, in: world, isKnown: false)
            let run = try await world.apply(expecting: 8)
            #expect(run.everything.contains("wrongEnvironment"), "\(run.everything)")
            for index in stride(from: 0, to: 900, by: 100) {
                #expect(try await fields(of: index, in: world)["valid"] != false)
            }
        }
    }

    @Test func aRevokedKeyStopsTheDeliveryWithItsReason() async throws {
        try await run(android: 50) { world, simulator in
            try await simulator.call("POST", "/fcm/giants-app/revoke")
            let run = try await world.apply(expecting: nil)
            #expect(run.everything.contains("the account or its key was deleted"), "\(run.everything)")
            #expect([4, 8].contains(run.status), "\(run.everything)")
            #expect(try await fields(of: 0, in: world)["valid"] != false)
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(0))
        }
    }

    @Test func anExpiredTokenIsRenewedAndNothingIsSentTwice() async throws {
        try await run(android: 600) { world, simulator in
            // The first answers say that the token has expired.
            try await simulator.fault(
                "refuse", ["status": 401, "reason": "UNAUTHENTICATED", "limit": 1])
            let run = try await world.apply()
            #expect(run.output.contains("sent, 600 devices"), "\(run.everything)")
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(600))
        }
    }

    @Test(arguments: [
        ("reset", true), ("reset", false), ("disconnect", true), ("disconnect", false),
    ])
    func aLostAnswerIsInDoubtAndNeverSentAgain(effect: String, isProcessed: Bool) async throws {
        try await run(android: 400) { world, simulator in
            try await simulator.fault(effect, ["processed": .bool(isProcessed), "rate": 0.03])
            try await world.apply(expecting: nil)
            try await simulator.call("DELETE", "/faults")
            try await world.apply(expecting: nil)
            let status = try await world.status("one")
            func number(_ name: String) -> Int64 { status[name]?.integer ?? 0 }
            let summary = try await simulator.call("GET", "/inboxes?topic=giants-app")
            #expect(number("successes") + number("inDoubt") == 400, "\(status)")
            #expect(number("inDoubt") > 0 && summary["duplicates"] == 0, "\(status) \(summary)")
        }
    }

    @Test(arguments: [500, 502, 503]) func anErrorOfTheirsIsInDoubt(status: Int64) async throws {
        try await run(android: 100) { world, simulator in
            try await simulator.fault(
                "refuse", ["status": .integer(status), "reason": "UNAVAILABLE", "limit": 3])
            let run = try await world.apply(expecting: nil)
            #expect(run.status == 7, "\(run.everything)")
            #expect(try await world.status("one")["inDoubt"] == 3)
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(97))
        }
    }

    /// A campaign that greets each device by its name, with more fields of the message.
    private static func greeting(_ more: String...) -> String {
        """
        kind: Campaign
        name: one
        environment: production
        audience: {channels: [Giants]}
        message:
          body: "Hi {{name|friend}}"
          \(more.joined(separator: "\n  "))
        expiration: {after: 7d}

        """
    }

    @Test func textsWithValuesAndLanguagesReachEachDeviceItsOwn() async throws {
        let files = [
            "a.yaml": String.giants,
            "one.yaml": Self.greeting(
                #"data: {greeting: "to {{name|friend}}"}"#, #"languages: {zh-Hans: {body: "你好 {{name|朋友}}"}}"#),
        ]
        try await run(files, apple: 1) { world, simulator in
            try await Self.register(0..<1, in: world, fields: ["name": .string("A \"quoted\" \\ name")])
            try await Self.register(1..<2, in: world, fields: ["language": "zh-Hans"])
            try await world.apply()
            func message(_ index: Int) async throws -> JSONValue {
                try #require(try await simulator.inbox("fcm:" + Self.registration(index)).first?["data"]?["message"])
            }
            let named = try await message(0)
            #expect(named["notification"]?["body"] == "Hi A \"quoted\" \\ name")
            let payload = try JSONValue(parsing: try #require(named["data"]?["payload"]?.string))
            #expect(payload["greeting"] == "to A \"quoted\" \\ name" && payload["alert"] == "Hi A \"quoted\" \\ name")
            #expect(try await message(1)["notification"]?["body"] == "你好 朋友")
        }
    }

    @Test func whatOnlyOtherServicesSayDoesNotCountAgainstApplesLimit() async throws {
        let files = [
            "a.yaml": String.giants,
            "one.yaml": Self.greeting(#"android: {body: Hi, data: {story: "{{story|none}}"}}"#),
        ]
        try await run(files) { world, simulator in
            let long = JSONValue.string(String(repeating: "x", count: 4500))
            // An iPhone with a story that only Android devices are told, and an Android device with a name of which only
            // iPhones hear.
            try await world.devices(0..<1, fields: ["story": long])
            try await Self.register(0..<1, in: world, fields: ["name": long])
            // Of this one only FCM hears that it would get too much.
            try await Self.register(1..<2, in: world, fields: ["story": long])
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("3 devices"), "\(plan.everything)")
            try await world.apply(expecting: nil)
            #expect(try await world.received() == (1, 1, 0))
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(1))
            let status = try await world.status("one")
            #expect(status["successes"] == 2 && status["devices"] == 3, "\(status)")
        }
    }

    @Test func onlyAndroidNeedsNoProfileOfApples() async throws {
        let campaign = """
            kind: Campaign
            name: one
            environment: production
            audience: {channels: [Giants], platforms: [android]}
            message: {body: one, android: {channel: news, action: com.example.OPEN}, vendors: {fcm: {android: {ttl: 60s}}}}
            expiration: {after: 1h}

            """
        try await run(["a.yaml": .giants, "one.yaml": campaign], apple: 2, android: 5) { world, simulator in
            try FileManager.default.removeItem(at: world.folder.appending(path: "profile.yaml"))
            let plan = try await world.bugle("plan", "--format", "json")
            #expect(plan.status == 0, "\(plan.everything)")
            try await world.apply()
            #expect(try await world.received() == (0, 0, 0))
            let push = try #require(try await simulator.inbox("fcm:" + Self.registration(2)).first)
            let android = try #require(push["data"]?["message"]?["android"])
            #expect(android["ttl"] == "60s" && android["notification"]?["channel_id"] == "news", "\(android)")
        }
    }

    /// Runs a test as the others, whose registry is in PostgreSQL.
    private func runOnPostgres(
        apple: Int, android: Int, _ test: (AppleWorld, AppleSimulator, PostgresPool) async throws -> Void
    ) async throws {
        let url = try await PostgresServer.databaseURL()
        try await AppleSimulator.run(["--fcm", "giants-app", "--accept-every-token"]) { simulator in
            let registry = "{postgres: {env: DATABASE_URL}}"
            try await AppleWorld.run(
                Self.files, on: simulator, registry: registry, variables: ["DATABASE_URL": url]
            ) { world in
                try world.write(
                    "bugle.yaml",
                    world.workspace(registry: registry).replacing("hosts: {", with: "hosts: {" + world.androidHosts))
                try world.declare(.fcm, named: "android")
                #expect(try await world.bugle("registry", "init").status == 0)
                let pool = PostgresPool(try PostgresAddress(url), width: 1)
                try await pool.add(tokens: (0..<apple).map(world.token), channels: ["Giants"])
                try await pool.add(registrations: (0..<android).map(Self.registration), channels: ["Giants"])
                try await test(world, simulator, pool)
                await pool.close()
            }
        }
    }

    private static let hasPostgres = PostgresServer.programs != nil

    @Test(.enabled(if: hasPostgres)) func itIsTheSameOnPostgreSQL() async throws {
        try await runOnPostgres(apple: 20, android: 1500) { world, simulator, pool in
            // Another row with the same address is the same device.
            try await pool.add(registrations: [Self.registration(3)], named: "again", channels: ["Giants"])
            try await simulator.call("POST", "/devices/fcm:\(Self.registration(7))/unregister")
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("1,520 devices"), "\(plan.everything)")
            let run = try await world.apply()
            #expect(run.output.contains("sent, 1,520 devices"), "\(run.everything)")
            #expect(try await simulator.call("GET", "/inboxes?topic=giants-app") == Self.summary(1499))
            #expect(try await world.received() == (20, 20, 0))
            #expect(try await world.status("one")["invalidTokens"] == 1)
            let dead = try await pool.use { session in
                try session.rows("SELECT document ->> 'objectId' FROM installation WHERE NOT valid").map { $0.text(0) }
            }
            #expect(dead == ["android8"])
        }
    }

    @Test func aKilledApplyOfBothKindsIsResumedAndNobodyGetsItTwice() async throws {
        try await run(apple: 1500, android: 2500, ["--accept-every-token"]) { world, simulator in
            // Nobody is finished before the kill, however late: of almost every batch somebody waits long for an
            // answer, and two are open at most.
            try await simulator.fault("delay", ["milliseconds": 50_000, "rate": 0.02])
            let process = Promise<Int32>()
            async let killing: Void = {
                let id = await process.value
                try await eventually { try await simulator.requests >= 600 }
                kill(id, SIGKILL)
            }()
            let killed = try await world.apply(expecting: nil, started: process.fulfil)
            try await killing
            #expect(killed.wasKilled)
            try await simulator.call("DELETE", "/faults")
            let next = try await world.apply(expecting: nil)
            if next.status == 11 { try await world.unlock(after: next) }
            try await world.apply(expecting: nil)
            let status = try await world.status("one")
            func number(_ name: String) -> Int64 { status[name]?.integer ?? 0 }
            let android = try await simulator.call("GET", "/inboxes?topic=giants-app")
            let apple = try await world.received()
            #expect(android["duplicates"] == 0 && apple.duplicates == 0)
            #expect(number("successes") + number("inDoubt") == 4000 && number("missed") == 0, "\(status)")
            let received = Int64(apple.devices) + (android["devices"]?.integer ?? 0)
            #expect((number("successes")...4000).contains(received), "\(status), \(received)")
        }
    }

    private static let vendors = ["hms", "mi", "oppo", "vivo"]

    /// Runs a test with an app at every vendor, of which each has so many devices that it knows.
    private func runMix(
        _ files: [String: String] = files, devices: Int, _ test: (AppleWorld, AppleSimulator) async throws -> Void
    ) async throws {
        try await run(files, apple: 5, android: 5) { world, simulator in
            for (index, way) in [Way.hms, .mi, .oppo, .vivo].enumerated() {
                try world.declare(way)
                let start = 10_000 * (index + 1)
                // Another case of the vendor is the same vendor.
                try await world.androids(
                    start..<(start + devices), of: way, fields: way == .hms ? ["vendor": "HMS"] : [:])
            }
            try await test(world, simulator)
        }
    }

    private func inboxes(_ vendor: String, of simulator: AppleSimulator) async throws -> JSONValue {
        try await simulator.call("GET", "/inboxes?topic=\(vendor)")
    }

    @Test func sixServicesGetOneDeliveryEachInItsOwnWords() async throws {
        try await runMix(devices: 1200) { world, simulator in
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("4,810 devices"), "\(plan.everything)")
            try await simulator.call("DELETE", "/devices/hms:\(Self.registration(10_003))")
            let run = try await world.apply()
            #expect(run.output.contains("sent, 4,810 devices"), "\(run.everything)")
            for vendor in Self.vendors {
                let expected: Int64 = vendor == "hms" ? 1199 : 1200
                let found = try await inboxes(vendor, of: simulator)
                #expect(found["devices"] == .integer(expected) && found["messages"] == .integer(expected), "\(vendor)")
            }
            #expect(try await world.status("one")["invalidTokens"] == 1)
            #expect(try await fields(of: 10_003, in: world)["valid"] == false)
            func payload(_ vendor: String, _ number: Int) async throws -> JSONValue {
                try #require(try await simulator.inbox("\(vendor):\(Self.registration(number))").first?["data"])
            }
            let huawei = try await payload("hms", 10_000)
            #expect(huawei["android"]?["category"] == "WORK")
            let shown = try #require(huawei["android"]?["notification"])
            #expect(shown["title"] == "Giants" && shown["body"] == "one")
            #expect(shown["click_action"]?["intent"]?.string?.contains("S.content=%7B%22alert%22") == true, "\(shown)")
            let xiaomi = try await payload("mi", 20_000)
            #expect(xiaomi["title"] == "Giants" && xiaomi["extra.channel_id"] == "7", "\(xiaomi)")
            let oppo = try await payload("oppo", 30_000)
            #expect(
                oppo["channel_id"] == "news" && oppo["action_parameters"]?.string?.contains("42") == true, "\(oppo)")
            let vivo = try await payload("vivo", 40_000)
            #expect(vivo["classification"] == 1 && vivo["clientCustomMap"] == ["game": "42"], "\(vivo)")
            try await world.apply()
            #expect(try await inboxes("mi", of: simulator)["messages"] == 1200)
        }
    }

    @Test func xiaomisDevicesAreServedByTheProfileOfTheirRegion() async throws {
        try await run(Self.files, apple: 5, android: 5) { world, simulator in
            try world.declare(.mi)
            try await world.androids(20_000..<20_003, of: .mi)
            try await world.androids(30_000..<30_004, of: .mi, fields: ["vendor": "MI-intl"])
            let without = try await world.bugle("plan")
            #expect(without.output.contains("13 devices"), "\(without.everything)")
            #expect(without.output.contains("4 Xiaomi (global) without a profile"), "\(without.everything)")
            try world.write(
                "global.yaml",
                """
                kind: DeviceProfile
                name: global
                vendor: mi
                environment: production
                default: true
                mi: {package: com.example.app, appSecret: {file: secret}, channel: "9", region: global}

                """)
            try await simulator.call("DELETE", "/devices/mi:\(Self.registration(30_003))")
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("4 Xiaomi (global) · 3 Xiaomi"), "\(plan.everything)")
            let run = try await world.apply()
            #expect(run.output.contains("sent, 17 devices"), "\(run.everything)")
            for (number, channel) in [(20_000, "7"), (30_000, "9")] {
                let inbox = try await simulator.inbox("mi:\(Self.registration(number))")
                #expect(inbox.count == 1 && inbox.first?["data"]?["extra.channel_id"] == .string(channel), "\(inbox)")
            }
            #expect(try await world.status("one")["invalidTokens"] == 1)
            #expect(try await fields(of: 30_003, in: world)["valid"] == false)
        }
    }

    @Test func aWrongSecretStopsTheDeliveryAndNobodyIsSentTo() async throws {
        try await runMix(devices: 3) { world, simulator in
            try world.write("secret", "another-secret")
            let run = try await world.apply(expecting: nil)
            #expect([4, 8].contains(run.status), "\(run.everything)")
            #expect(run.everything.contains("check appId and clientSecret"), "\(run.everything)")
            #expect(!run.everything.contains("another-secret"))
            for vendor in Self.vendors + ["giants-app"] {
                #expect(try await inboxes(vendor, of: simulator)["messages"] == 0)
            }
            #expect(try await fields(of: 10_000, in: world)["valid"] != false)
        }
    }

    @Test func aLostCallIsInDoubtAndNeverMadeAgain() async throws {
        try await runMix(devices: 600) { world, simulator in
            try await simulator.fault("reset", ["processed": true, "rate": 0.3, "seed": 7, "limit": 2])
            try await world.apply(expecting: nil)
            try await simulator.call("DELETE", "/faults")
            try await world.apply(expecting: nil)
            let status = try await world.status("one")
            func number(_ name: String) -> Int64 { status[name]?.integer ?? 0 }
            #expect(number("successes") + number("inDoubt") == 2410, "\(status)")
            for vendor in Self.vendors {
                let found = try await inboxes(vendor, of: simulator)
                #expect(found["messages"] == found["devices"], "\(vendor): \(found)")
            }
        }
    }

    @Test func eachVendorsLimitsAreSaidAtTheirLine() async throws {
        let long = String(repeating: "字", count: 60)
        let files = [
            "a.yaml": String.giants,
            "one.yaml": """
            kind: Campaign
            name: one
            environment: production
            audience: {channels: [Giants]}
            message: {title: \(long), body: one}
            expiration: {after: 7d}

            """,
            "two.yaml": """
            kind: Campaign
            name: two
            environment: production
            audience: {channels: [Giants]}
            message: {body: one}
            expiration: {after: 7d}

            """,
            "three.yaml": """
            kind: Campaign
            name: three
            environment: production
            audience: {channels: [Giants]}
            message: {title: 推送, body: 测试}
            expiration: {after: 7d}

            """,
        ]
        try await runMix(files, devices: 1) { world, _ in
            let plan = try await world.bugle("plan")
            for line in [
                "the title has 60 characters, and Xiaomi takes 49", "and OPPO takes 50", "and vivo takes 40",
                "Huawei takes no message without a title", "Xiaomi drops a body that says only '测试'",
                "vivo drops a body",
            ] {
                #expect(plan.everything.contains(line), "\(line): \(plan.everything)")
            }
            #expect(plan.everything.contains("one.yaml:5:"), "\(plan.everything)")
        }
    }

    @Test func aTestGoesThroughTheProfileThatADeliveryTakes() async throws {
        try await run { world, simulator in
            try world.declare(.hms)
            // Another app's, and the first one by its name.
            try world.write(
                "another.yaml",
                """
                kind: DeviceProfile
                name: another
                vendor: hms
                environment: production
                hms: {appId: "999999", clientSecret: {file: secret}}

                """)
            try await world.androids(0..<1, of: .hms)
            let test = try await world.bugle("test", "one", "--device", "hms:" + Self.registration(0))
            #expect(test.status == 0 && test.output.contains("Huawei accepted it through hms"), "\(test.everything)")
            #expect(try await simulator.inbox("hms:" + Self.registration(0)).count == 1)
        }
    }

    @Test func doctorAndTestAskGoogleToo() async throws {
        try await run(apple: 1, android: 1) { world, simulator in
            let doctor = try await world.bugle("doctor")
            #expect(doctor.output.contains("FCM accepts the account and the project"), "\(doctor.everything)")
            try world.write(
                "one.yaml",
                """
                kind: Campaign
                name: one
                environment: production
                audience: {channels: [Giants], platforms: [android]}
                message: {body: one}
                expiration: {after: 7d}

                """)
            let test = try await world.bugle("test", "one", "--device", Self.registration(0))
            #expect(test.status == 0 && test.output.contains("FCM accepted it through android"), "\(test.everything)")
            #expect(try await simulator.inbox("fcm:" + Self.registration(0)).count == 1)
        }
    }
}
