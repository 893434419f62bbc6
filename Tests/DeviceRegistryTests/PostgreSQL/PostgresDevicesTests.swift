import Base
import DeviceRegistry
import ProgramTesting
import Push
import RegistryTesting
import Testing

/// How devices get in: by registration, and by the team's own SQL.
@Suite(hasServer) struct PostgresDevicesTests {
    private func device(_ token: String, _ fields: JSONValue = [:]) -> JSONValue {
        var device: JSONValue = ["deviceType": "ios", "deviceToken": .string(token)]
        for (key, value) in fields.object ?? [:] { device[key] = value }
        return device
    }

    @Test func aDeviceIsKnownByItsInstallationIDThenByItsToken() async throws {
        let fixture = try await PostgresFixture.make()
        let later = Instant.noon.advanced(bySeconds: 9)
        try await fixture.register([device("AA", ["installationId": "i1", "badge": 4]), device("bb")], at: .noon)
        #expect(try await fixture.device("aa")?["valid"] == true)
        #expect(try await fixture.device("aa")?["deviceToken"] == "aa")
        try await fixture.register([device("cc", ["installationId": "i1"])], at: later)
        #expect(try await fixture.device("aa") == nil)
        #expect(try await fixture.device("cc")?["badge"] == 4)
        #expect(try await fixture.lastSeen("cc") == later)
        // The app was installed anew and kept its token; the list of channels grows.
        try await fixture.register(
            [
                device("cc", ["installationId": "i2", "channels": ["__op": "AddUnique", "objects": ["news"]]]),
                device("CC", ["channels": ["__op": "AddUnique", "objects": ["sport", "news"]]]),
            ], at: later)
        #expect(try await fixture.device("cc")?["installationId"] == "i2")
        #expect(try await fixture.device("cc")?["channels"] == ["news", "sport"])
        #expect(try await fixture.number("SELECT count(*) FROM installation") == 2)
        // Without a token a device has a key of its own.
        try await fixture.register(
            [["deviceType": "android", "installationId": "x"], ["deviceType": "android", "installationId": "y"]],
            at: .noon)
        try await fixture.register([["deviceType": "android", "installationId": "x", "deviceToken": "dd"]], at: .noon)
        #expect(try await fixture.device("dd")?["installationId"] == "x")
        #expect(try await fixture.number("SELECT count(*) FROM installation") == 4)
        await fixture.close()
    }

    @Test func whatTheRulesRefuseWritesNothing() async throws {
        let fixture = try await PostgresFixture.make()
        try await fixture.register(
            [device("aa", ["installationId": "i1"]), device("bb", ["installationId": "i2"])], at: .noon)
        let refusals: [(JSONValue, RegistryError.Code)] = [
            (["deviceType": "ios"], .invalidDeviceToken),
            (device("cc", ["channels": ["a b"]]), .invalidChannel),
            (device("aa", ["installationId": "i2"]), .valueTaken),
            (device("bb", ["installationId": "i1"]), .valueTaken),
            (device("aa", ["deviceType": "android"]), .readOnlyKey), (device("cc", ["t": "a\u{0}b"]), .incorrectType),
            (device("cc", ["t": [["k\u{0}": 1]]]), .incorrectType), (device("c\u{0}c"), .incorrectType),
        ]
        for (wrong, code) in refusals {
            let error = await #expect(throws: RegistryError.self) {
                try await fixture.register([wrong], at: .noon)
            }
            #expect(error?.code == code, "\(wrong.canonicalText): \(error?.description ?? "")")
        }
        #expect(try await fixture.number("SELECT count(*) FROM installation") == 2)
        await fixture.close()
    }

    @Test func machinesThatRegisterTheSameDevicesDoNotCollide() async throws {
        let fixture = try await PostgresFixture.make()
        let devices = (0..<40).map { device("ab\(10 + $0)", ["installationId": .string("i\($0)")]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in [devices, devices.reversed(), Array(devices[20...] + devices[..<20])] {
                group.addTask { try await fixture.register(Array(order), at: .noon) }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.number("SELECT count(*) FROM installation") == 40)
        await fixture.close()
    }

    @Test func aDeviceThatComesBackWhileStaleOnesAreRemovedStays() async throws {
        let fixture = try await PostgresFixture.make()
        let (server, app, isOver) = (fixture.server, PostgresPool(fixture.address, width: 1), Flag())
        try await fixture.register([device("aa"), device("bb")], at: Instant.noon.advanced(byDays: -91))
        try await app.use { session in
            try session.execute("BEGIN")
            _ = try session.execute(
                "UPDATE installation SET updatedAt = $1 WHERE token = 'aa'", [.integer(Instant.noon.milliseconds)])
        }
        let purging = Task {
            _ = try? await server.purge(at: .noon)
            isOver.raise()
        }
        // On a busy machine it reaches the limit of its wait.
        try await eventually { if isOver.isRaised { true } else { try await fixture.isAnybodyWaiting() } }
        try await app.use { session in _ = try session.execute("COMMIT") }
        await purging.value
        _ = try await server.purge(at: .noon)
        #expect(try await fixture.device("aa") != nil)
        #expect(try await fixture.device("bb") == nil)
        await app.close()
        await fixture.close()
    }

    @Test func aDeviceThatRegistersWhileAnOlderVersionIsCopiedStaysAsItRegistered() async throws {
        let fixture = try await PostgresFixture.make()
        let (server, app, isOver) = (fixture.server, PostgresPool(fixture.address, width: 1), Flag())
        try await fixture.register([device("aa")], at: .noon)
        let id = try #require(try await fixture.objectID("aa"))
        let (copied, later) = (Instant.noon.advanced(bySeconds: 60), Instant.noon.advanced(bySeconds: 120))
        // It names itself by what the copied version does not have.
        try await app.use { session in
            try session.execute("BEGIN")
            _ = try session.execute(
                "UPDATE installation SET updatedAt = $1 WHERE token = 'aa'", [.integer(later.milliseconds)])
        }
        let older = try TransferredObject([
            "objectId": .string(id), "deviceType": "ios", "deviceToken": "bb",
            "createdAt": .string(copied.isoText), "updatedAt": .string(copied.isoText),
        ])
        let copying = Task {
            _ = try? await server.transfer([older], into: .installation)
            isOver.raise()
        }
        // On a busy machine it reaches the limit of its wait.
        try await eventually { if isOver.isRaised { true } else { try await fixture.isAnybodyWaiting() } }
        try await app.use { session in _ = try session.execute("COMMIT") }
        await copying.value
        #expect(try await server.transfer([older], into: .installation) == [.kept])
        #expect(try await fixture.lastSeen("aa") == later)
        await app.close()
        await fixture.close()
    }

    @Test func theTeamsOwnSQLBringsDevicesInButNoTwoOfOneToken() async throws {
        let fixture = try await PostgresFixture.make()
        let insert = "INSERT INTO installation (token, document) VALUES (lower($1), $2::jsonb)"
        try await fixture.pool.use { session in
            let document = #"{"deviceType": "ios", "deviceToken": "AB", "channels": ["news"], "valid": true}"#
            try session.execute(insert, [.text("AB"), .text(document)])
            let wrong = [
                ("AB", document), ("cd", document), ("", #"{"deviceType": "ios"}"#), ("ab", "[]"),
                ("ab", #"{"deviceToken": ""}"#),
            ]
            for (token, document) in wrong {
                #expect(throws: PostgresError.self) { try session.execute(insert, [.text(token), .text(document)]) }
            }
            try session.execute(insert, [.text("-1"), .text(#"{"deviceType": "android"}"#)])
        }
        let news = DeliveryAudience.devices(where: ["channels": "news"])
        let registry = try await PostgresRegistry.open(fixture.address)
        #expect(try await registry.count(news, at: try await registry.now()).devices == 1)
        await registry.close()
        await fixture.close()
    }

    @Test func anAudienceMayAskForTheObjectsThatDevicesPointAt() async throws {
        let fixture = try await PostgresFixture.make()
        let user = try await fixture.server.create(["username": "u"], in: .user, as: .master, at: .noon).object.objectID
        let pointer: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": .string(user)]
        try await fixture.register([device("ee", ["owner": pointer]), device("ff")], at: .noon)
        let owned = DeliveryAudience.devices(
            where: ["owner": ["$inQuery": ["className": "_User", "where": ["username": "u"]]]])
        #expect(try await fixture.registry.count(owned, at: .noon).devices == 1)
        let freeze = DeliveryFreeze(delivery: "d", workspace: "", audience: owned, environment: "production")
        #expect(try await fixture.registry.freeze(freeze, under: nil).targets == 1)
        await fixture.close()
    }
}
