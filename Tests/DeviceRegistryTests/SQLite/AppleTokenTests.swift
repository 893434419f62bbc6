import Base
import GRDB
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// The spellings of one token, and registries of before, which hold others than the one that is kept now.
/// PostgreSQL has one spelling of a token only.
@Suite(.onlyInSQLite) struct AppleTokenTests {
    private static let token = "0a1b2c3d4e5f"

    @Test(arguments: [
        ("0a1b", "0a1b"), ("0A1B", "0a1b"), ("<0a1b 2c3d>", "0a1b2c3d"), (" 0a\t1b\r\n", "0a1b"), ("1234", "1234"),
        ("", ""), ("<>", "<>"), ("xyz", "xyz"), ("0A1G", "0A1G"), ("0a-1B", "0a-1B"), ("a b x", "a b x"),
        ("0A\u{0}", "0A\u{0}"), ("０Ａ", "０Ａ"),
    ])
    func aTokenHasOneSpelling(token: String, normal: String) {
        #expect(AppleToken.normalized(token) == normal)
        #expect(AppleToken.normalized(normal) == normal)
    }

    /// Puts a device into the file as a registry of before has it.
    private func insert(_ id: String, _ token: String, into registry: Registry) async throws {
        try await registry.sqlite.write { db in
            try db.execute(
                sql: "INSERT INTO installation(id, objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    Int64(id.utf8.reduce(0) { $0 + Int($1) }), id, Instant.noon.milliseconds,
                    Instant.noon.milliseconds,
                    #"{"deviceToken":"\#(token)","deviceType":"ios","n":1,"valid":true}"#,
                ])
        }
    }

    private func devices(_ registry: Registry) async throws -> [JSONValue] {
        try await registry.find(ObjectQuery(), in: .installation, as: .master).results
    }

    @Test(arguments: ["0A1B2C3D4E5F", "<0a1b2c3d 4e5f>"])
    func aDeviceOfBeforeIsFoundAndSpelledAnew(spelling: String) async throws {
        let registry = try await Registry.test()
        try await insert("old", spelling, into: registry)
        let again = try await registry.create(
            ["deviceType": "ios", "deviceToken": .string(spelling), "n": 2], in: .installation, as: .client, at: .noon)
        #expect(!again.isNew && again.object.objectID == "old")
        #expect(again.object.fields["deviceToken"] == .string(Self.token))
        let device = try #require(try await devices(registry).first)
        #expect(device["deviceToken"] == .string(Self.token) && device["n"] == 2)
    }

    @Test func capitalsOfBeforeAreFoundByWhatSDKsSendNow() async throws {
        let registry = try await Registry.test()
        try await insert("old", Self.token.uppercased(), into: registry)
        let again = try await registry.create(
            ["deviceType": "ios", "deviceToken": .string(Self.token)], in: .installation, as: .client, at: .noon)
        #expect(again.object.objectID == "old")
    }

    @Test func ofADeviceThatWasHereTwiceTheOneThatComesStays() async throws {
        let registry = try await Registry.test()
        try await insert("a", Self.token, into: registry)
        try await insert("b", Self.token.uppercased(), into: registry)
        let members: JSONObject = ["deviceType": "ios", "deviceToken": .string(Self.token), "objectId": "b", "n": 3]
        let written = try await registry.create(members, in: .installation, as: .client, at: .noon)
        #expect(written.object.objectID == "b")
        let left = try await devices(registry)
        #expect(left.count == 1 && left[0]["n"] == 3 && left[0]["deviceToken"] == .string(Self.token))
    }

    @Test func aDeviceThatWasHereTwiceIsSentToOnce() async throws {
        let fixture = try RegistryFixture()
        try await insert("a", Self.token, into: fixture.registry)
        try await insert("b", Self.token.uppercased(), into: fixture.registry)
        let store = Journal(fixture.registry) { .noon }
        #expect(try await store.count(.devices(), at: .noon).devices == 1)
    }

    @Test func aConditionFindsDevicesOfBeforeAsItNamesThem() async throws {
        let registry = try await Registry.test()
        try await insert("a", Self.token, into: registry)
        try await insert("b", Self.token.uppercased(), into: registry)
        for (condition, count) in [
            (["deviceToken": .string(Self.token)], 1), (["deviceToken": .string(Self.token.uppercased())], 2),
            (["deviceToken": ["$nin": [.string(Self.token.uppercased())]]], 0),
        ] as [(JSONValue, Int)] {
            let query = ObjectQuery(where: condition)
            #expect(try await registry.find(query, in: .installation, as: .master).results.count == count)
        }
    }

    @Test func aDeadTokenThatComesBackAsItsDescriptionIsAlive() async throws {
        let registry = try await Registry.test()
        let id = try await registry.register(Self.token, ["valid": false]).objectID
        try await registry.write { db in try DeadTokens(db: db).list(Self.token, at: .noon) }
        let written = try await registry.update(
            id, in: .installation, with: ["deviceToken": "<0a1b2c3d 4e5f>"], as: .client, at: .noon)
        #expect(written.object.fields["valid"] == true)
        #expect(try await registry.read { db in try DeadTokens(db: db).isListed(Self.token) } == false)
    }
}
