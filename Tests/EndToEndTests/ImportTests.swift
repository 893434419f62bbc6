import Base
import Foundation
import Testing

@Suite struct ImportTests {
    /// Pushes that somebody scheduled by hand, in several of the forms that LeanCloud takes.
    private static let pushes: [JSONValue] = [
        [
            "where": ["channels": "Giants", "deviceType": "ios"], "push_time": "2026-12-01T00:00:00.000Z",
            "data": [
                "alert": ["title": "Giants", "body": "no: \"2-2\" #1\nnow\u{1B}[2J"], "badge": "Increment",
                "k": ["a": [1, "no", nil]],
            ], "expiration_interval": 3600,
        ],
        [
            "channels": ["新频道", "Mets"], "push_time": "2026-12-02T00:00:00.500Z",
            "data": ["alert": "今晚的比赛", "title": "::error::标题"],
            "expiration_time": "2026-12-03T00:00:00.000Z",
        ],
        [
            "where": ["scores": true, "deviceProfile": "driver", "deviceType": "ios"], "prod": "dev",
            "push_time": "2026-12-04T00:00:00.000Z",
            "data": ["aps": ["alert": "x", "interruption-level": "time-sensitive"], "z": 1],
        ],
        [
            "where": ["deviceType": "android", "$or": [["a": 1], ["b": ["$exists": true]]]],
            "push_time": "2026-12-05T00:00:00.000Z",
            "data": ["alert": "x", "android": ["title": "t", "silent": true], "mi": ["title": "mi"]],
        ],
    ]

    private func schedule(_ pushes: [JSONValue], _ world: World) async throws {
        for push in pushes {
            let answer = try await world.call("POST", "/push", push)
            #expect(answer["objectId"] != nil, "\(answer.canonicalText)")
        }
    }

    private func scheduled(_ world: World) async throws -> [JSONValue] {
        try await world.call("GET", "/scheduledPushMessages")["results"]?.array ?? []
    }

    private func campaigns(_ world: World) throws -> [String] {
        let folder = world.path("imported/campaigns")
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { "imported/campaigns/" + $0 }
    }

    private func text(_ world: World, _ path: String) throws -> String {
        try String(contentsOfFile: world.path(path), encoding: .utf8)
    }

    @Test func whatIsWrittenIsAValidWorkspaceInWhichNothingIsSent() async throws {
        try await World.run { world in
            try await world.devices(3)
            try await schedule(Self.pushes, world)
            let run = try await world.bugle("import")
            #expect(run.status == 0, "\(run.everything)")
            #expect(
                !run.output.contains("\u{1B}") && !run.output.split(separator: "\n").contains { $0.hasPrefix("::") })
            #expect(try campaigns(world).count == 4)
            for path in try campaigns(world) { #expect(try text(world, path).contains("\nhold: true\n")) }
            let validated = try await world.bugle("validate")
            #expect(validated.status == 0, "\(validated.everything)")
            // Even whoever applies at once sends and schedules nothing.
            let before = try await scheduled(world)
            try await world.apply()
            #expect(try await scheduled(world) == before)
            #expect(try await world.inbox("d0").isEmpty)
        }
    }

    @Test func takenOverEachPushIsTheSameAsBefore() async throws {
        try await World.run { world in
            try await world.devices(1)
            try await schedule(Self.pushes, world)
            let before = try await scheduled(world)
            #expect(try await world.bugle("import").status == 0)
            // What the comment in the file says: cancel there, then remove 'hold'.
            for push in before {
                _ = try await world.call("DELETE", "/scheduledPushMessages/\(push["id"]?.integer ?? 0)")
            }
            for path in try campaigns(world) {
                try world.write(
                    path, try text(world, path).replacing("hold: true\n", with: "limits: {minAudience: 0}\n"))
            }
            try await world.apply()
            let after = try await scheduled(world)
            try #require(after.count == 4)
            for (old, new) in zip(before, after) {
                #expect(old["expire_time"] == new["expire_time"])
                for key in ["prod", "expiration-time"] { #expect(old["push_msg"]?[key] == new["push_msg"]?[key]) }
            }
            func message(_ index: Int) -> JSONValue? { after[index]["push_msg"]?["msg"] }
            #expect(message(0) == Self.pushes[0]["data"])
            #expect(message(1) == Self.pushes[1]["data"])
            #expect(message(2) == Self.pushes[2]["data"])
            let query = after[3]["push_msg"]?["where"]?["query"]
            #expect(
                query == ["deviceType": "android", "$or": [["a": 1], ["b": ["$exists": true]]], "valid": true],
                "\(query?.canonicalText ?? "")")
        }
    }

    @Test func eachServiceOfAndroidDevicesGetsAProfileToComplete() async throws {
        try await World.run { world in
            let devices: [JSONValue] = [
                ["vendor": "fcm"], ["vendor": "FCM"], ["vendor": "hms", "deviceProfile": "driver"], ["vendor": "lc"],
                ["vendor": "mi-intl"],
            ]
            for (index, device) in devices.enumerated() {
                var device = device
                device["deviceType"] = "android"
                (device["installationId"], device["registrationId"]) = (.string("i\(index)"), .string("r\(index)"))
                _ = try await world.call("POST", "/installations", device)
            }
            #expect(try await world.bugle("import").output.contains("services that bugle does not reach: lc (1)"))
            let profiles = try text(world, "imported/device-profiles.yaml")
            #expect(
                profiles == """
                    # 2 Android devices have it
                    kind: DeviceProfile
                    name: android-fcm
                    default: true
                    vendor: fcm
                    environment: production
                    # TODO as its console shows it; no service reveals its credentials:
                    # fcm:
                    #   serviceAccount: {env: ANDROID_FCM_SERVICEACCOUNT}
                    ---
                    # 1 Android devices have it
                    kind: DeviceProfile
                    name: android-mi-intl
                    default: true
                    vendor: mi
                    environment: production
                    # TODO as its console shows it; no service reveals its credentials:
                    # mi:
                    #   package: …
                    #   region: global
                    #   appSecret: {env: ANDROID_MI_INTL_APPSECRET}
                    ---
                    # 1 Android devices have it
                    kind: DeviceProfile
                    name: hms-driver
                    vendor: hms
                    deviceProfile: driver
                    environment: production
                    # TODO as its console shows it; no service reveals its credentials:
                    # hms:
                    #   appId: …
                    #   clientSecret: {env: HMS_DRIVER_CLIENTSECRET}

                    """, "\(profiles)")
            let again = try await world.bugle("import").output
            #expect(again.contains("skipped device profile 'android-fcm': the workspace declares it"), "\(again)")
        }
    }

    /// Devices that name no profile are pushed by the default one: it is asked for where neither files nor ledger have it.
    @Test func aDefaultProfileIsAskedForOnlyWhereThereIsNone() async throws {
        func profile(_ isDefault: Bool) -> String {
            """
            kind: DeviceProfile
            name: production
            environment: production
            topic: com.example.giants
            default: \(isDefault)
            token: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {env: GIANTS_APNS_KEY}}

            """
        }
        try await World.run { world in
            try await world.devices(3)
            let words = "note: 3 Apple devices name no device profile; declare one with 'default: true'"
            func imported() async throws -> String {
                let run = try await world.bugle("import", "--dry-run")
                #expect(run.status == 0, "\(run.everything)")
                return run.output
            }
            #expect(try await imported().contains(words))
            try world.write("p.yaml", profile(false))
            #expect(try await imported().contains(words))
            try world.write("p.yaml", profile(true))
            #expect(try await !imported().contains("name no device profile"))
            // The one that was deployed is written again, as the default that it is.
            try await world.apply()
            try FileManager.default.removeItem(atPath: world.path("p.yaml"))
            let again = try await imported()
            #expect(!again.contains("name no device profile") && again.contains("default: true"), "\(again)")
        }
    }

    @Test func runAgainItWritesNothingThatIsThere() async throws {
        try await World.run { world in
            try await world.devices(2)
            try await schedule(Self.pushes, world)
            #expect(try await world.bugle("import").status == 0)
            try world.write("imported/channels.yaml", "# mine\nkind: Channel\nname: Giants\n")
            try await world.devices(1, channel: "Mets2", prefix: "m")
            let again = try await world.bugle("import")
            #expect(again.status == 0, "\(again.everything)")
            #expect(try text(world, "imported/channels.yaml").hasPrefix("# mine"))
            #expect(try text(world, "imported/channels-2.yaml").contains("name: Mets2"))
            #expect(try campaigns(world).count == 4)
            let third = try await world.bugle("import")
            #expect(third.output.contains("There is nothing to write."), "\(third.everything)")
        }
    }

    @Test func whatACampaignCannotSayIsSkippedWithTheReason() async throws {
        try await World.run { world in
            try await schedule(
                [
                    ["push_time": "2026-12-01T00:00:00.000Z", "data": ["alert": "all"]],
                    [
                        "where": ["deviceType": "ios"], "push_time": "2026-12-01T00:00:00.000Z",
                        "data": ["alert": "x", "url-args": ["a"]],
                    ],
                    [
                        "where": ["channels": "Giants"], "push_time": "2026-12-01T00:00:00.000Z",
                        "data": ["alert": "x", "action": "com.example"],
                    ],
                    [
                        "where": ["channels": "Giants", "x": nil], "push_time": "2026-12-01T00:00:00.000Z",
                        "data": ["alert": "x"],
                    ],
                ], world)
            let run = try await world.bugle("import")
            #expect(run.status == 8, "\(run.everything)")
            for word in ["allowEveryone", "url-args", "'action' is reserved", "no value to compare with"] {
                #expect(run.output.contains(word), "\(word): \(run.output)")
            }
            #expect(!FileManager.default.fileExists(atPath: world.path("imported/campaigns")))
            #expect(!FileManager.default.fileExists(atPath: world.path("imported/channels.yaml")))
        }
    }

    @Test func aProfileIsUnfinishedAndValidateNamesWhatIsMissing() async throws {
        try await World.run { world in
            for index in 0..<3 {
                _ = try await world.call(
                    "POST", "/installations",
                    [
                        "deviceType": "ios", "deviceToken": .string("t\(index)"), "deviceProfile": "driver",
                        "apnsTopic": "com.example.driver", "apnsTeamId": "ABCDE12345",
                    ])
            }
            let run = try await world.bugle("import")
            #expect(run.status == 0, "\(run.everything)")
            let file = try text(world, "imported/device-profiles.yaml")
            #expect(file.contains("topic: com.example.driver\n") && file.contains("# TODO environment"))
            let validated = try await world.bugle("validate")
            #expect(validated.status == 3)
            #expect(validated.errors.contains("missing key 'environment'"))
            #expect(validated.errors.contains("one of 'certificate' and 'token' is needed"))
            #expect(validated.errors.contains("2 errors"), "\(validated.errors)")
            // Unfinished as it is, it does not stop the next import.
            let again = try await world.bugle("import")
            #expect(again.status == 0 && again.output.contains("nothing to write"), "\(again.everything)")
            try world.write(
                "imported/device-profiles.yaml",
                file + "environment: production\ntoken: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {env: P8_KEY}}\n")
            let finished = try await world.bugle("validate")
            #expect(finished.status == 0, "\(finished.everything)")
        }
    }

    @Test func aDryRunWritesNoFile() async throws {
        try await World.run { world in
            try await world.devices(2)
            try await schedule(Self.pushes, world)
            let run = try await world.bugle("import", "--dry-run")
            #expect(run.status == 0)
            #expect(run.output.contains("kind: Campaign") && run.output.contains("kind: Channel"))
            #expect(!FileManager.default.fileExists(atPath: world.path("imported")))
        }
    }

    @Test func rareChannelsCanBeLeftOut() async throws {
        try await World.run { world in
            try await world.devices(3)
            try await world.devices(1, channel: "user1", prefix: "u")
            let run = try await world.bugle("import", "--min-subscribers", "2")
            #expect(run.status == 0 && run.output.contains("fewer than 2 subscribers"), "\(run.everything)")
            let file = try text(world, "imported/channels.yaml")
            #expect(file.contains("Giants") && !file.contains("user1"))
        }
    }

    @Test func nothingIsWrittenThroughALinkNorIntoABrokenWorkspace() async throws {
        try await World.run { world in
            try await world.devices(1)
            let outside = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: outside) }
            try FileManager.default.createSymbolicLink(
                atPath: world.path("imported"), withDestinationPath: outside.path)
            let linked = try await world.bugle("import")
            #expect(linked.status != 0, "\(linked.everything)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path).isEmpty)
            try world.remove("imported")
            try world.write("a.yaml", "kind: Channel\nname: [\n")
            let broken = try await world.bugle("import")
            #expect(broken.status == 3, "\(broken.everything)")
            #expect(!FileManager.default.fileExists(atPath: world.path("imported")))
        }
    }

    @Test func aHostThatIsNotTrustedIsNotAsked() async throws {
        try await World.run { world in
            _ = world.takeSeen()
            let run = try await world.bugle("import", environment: ["BUGLE_TRUSTED_HOSTS": "push.example.com"])
            #expect(run.status == 3)
            #expect(world.takeSeen().isEmpty)
        }
    }

    @Test func whatBugleScheduledIsNotImported() async throws {
        let campaign = String.campaign("later", more: "schedule: {at: 2026-12-01T00:00:00Z}\nexpiration: {after: 1d}")
        try await World.run(["a.yaml": .giants, "b.yaml": campaign]) { world in
            try await world.devices(1)
            try await world.apply()
            let run = try await world.bugle("import")
            #expect(run.status == 0 && run.output.contains("bugle made them"), "\(run.everything)")
            // One of an earlier generation, which an apply will cancel, is bugle's as well.
            let entry = try await world.call("GET", "/classes/BugleLedger")["results"]?.array?.first
            let id = try #require(entry?["objectId"]?.string)
            let next: JSONValue = ["generation": 1, "notificationId": "nextgeneration00"]
            _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", next)
            let again = try await world.bugle("import")
            #expect(again.status == 0 && again.output.contains("bugle made them"), "\(again.everything)")
            #expect(!FileManager.default.fileExists(atPath: world.path("imported")))
        }
    }
}
