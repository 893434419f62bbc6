import Base
import DeviceRegistry
import LeanCloud
import Push
import RegistryTesting
import Synchronization
import Testing

@testable import PushServer

/// A copy that goes on, and the way back.
@Suite struct FollowingTests {
    private let app = FakeApp()

    private func connection(retries: Int = 0) -> LeanCloudConnection {
        LeanCloudConnection(
            url: "https://push.example.com", appId: "giants", masterKey: Secret("key"), retries: retries)
    }

    /// What a number of looks of a following copy told.
    private func follow(
        into registry: Registry, looks: Int, silence: Duration = LivePull.defaultSilence,
        between: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> [LivePull.Look] {
        let pull = LivePull(
            into: registry, from: connection(), http: app, pausing: CountedPause(looks, onPause: between),
            silence: silence, pageSize: 10)
        var told: [LivePull.Look] = []
        await #expect(throws: CancellationError.self) { try await pull.follow(["_Installation"]) { told.append($0) } }
        return told
    }

    @Test func aFollowingCopyBringsWhatChangesAndSaysHowFarItIsBehind() async throws {
        app.put("_Installation", (0..<25).map { device(1000 + $0) })
        let registry = try await Registry.test()
        let app = app
        // Each answer comes 5 s after the one before.
        app.with { state in
            state.onRequest = {
                let time = $0.requests.count * 5
                $0.now = "Sat, 21 Nov 2026 12:0\(time / 60):\(time % 60 < 10 ? "0" : "")\(time % 60) GMT"
            }
        }
        let told = try await follow(into: registry, looks: 3) { left in
            if left == 1 { app.put("_Installation", [device(1, updated: "2026-11-21T12:09:00.000Z")]) }
        }
        try #require(told.count == 3)
        guard case .copied(let first, let behind) = told[0], case .copied(let second, _) = told[1],
            case .copied(let third, _) = told[2]
        else { return #expect(Bool(false), "\(told)") }
        #expect(first[0].added == 25 && second[0].added == 1 && third[0].added == 0, "\(told)")
        #expect(behind == .zero, "the changes were read in one answer")
        let copied = try #require(try await registry.copiedDevices())
        #expect(copied.first < copied.until)
    }

    @Test func aServiceThatFailsForAWhileDoesNotEndIt() async throws {
        app.put("_Installation", (0..<5).map { device(1000 + $0) })
        let registry = try await Registry.test()
        let app = app
        let told = try await follow(into: registry, looks: 3) { left in
            app.with { $0.diesAfter = left == 1 ? $0.requests.count : nil }
        }
        guard case .copied = told[0], case .failed = told[1], case .copied = told[2] else {
            return #expect(Bool(false), "\(told)")
        }
        #expect(try await registry.contents().count == 5)
    }

    @Test func aServiceThatFailsForLongerThanTheTimeoutDoesNotEndItEither() async throws {
        app.put("_Installation", [device(1)])
        let app = app
        let told = try await follow(into: try await Registry.test(), looks: 3, silence: .zero) { left in
            if left == 1 { app.with { $0.answers = [(503, "busy")] } }
        }
        try #require(told.count == 3, "\(told)")
        guard case .copied = told[0], case .failed = told[1], case .copied = told[2] else {
            return #expect(Bool(false), "\(told)")
        }
    }

    /// An apply may not write to what bears a later fence than its lock.
    @Test func aLookThatFailsAfterTheLedgerLeavesTheFenceToTheNext() async throws {
        func entry(_ fence: Int64, updated: String) -> JSONValue {
            [
                "objectId": "e1", "createdAt": "2026-11-01T00:00:00.000Z", "updatedAt": .string(updated),
                "workspace": "giants", "state": "sent", "fence": .integer(fence),
            ]
        }
        let names = ["BugleLedger", "BugleResource"]
        app.put("BugleLedger", [entry(3, updated: "2026-11-01T00:00:00.000Z")])
        let registry = try await Registry.test()
        let pull = LivePull(into: registry, from: connection(), http: app, pausing: CountedPause(2))
        for name in names { _ = try await pull.copy(name) }
        try await pull.continueFences()
        app.put("BugleLedger", [entry(9, updated: "2026-11-21T12:00:10.000Z")])
        app.with { state in
            state.onRequest = { state in
                guard state.requests.last?.path.hasSuffix("/BugleResource") == true else { return }
                state.answers = [(503, "busy")]
                state.onRequest = nil
            }
        }
        await #expect(throws: CancellationError.self) { try await pull.follow(names) { _ in } }
        let lock = try JSONValue(parsing: try #require(try await registry.contents("BugleLock").first))
        #expect(lock["fence"]?.integer == 9)
    }

    /// An apply that sends nothing may write a segment.
    @Test func theFenceOfAResourceIsContinuedWithoutNewsOfTheLedger() async throws {
        func segment(_ fence: Int64, updated: String) -> JSONValue {
            [
                "objectId": "r1", "createdAt": "2026-11-01T00:00:00.000Z", "updatedAt": .string(updated),
                "workspace": "giants", "kind": "segment", "name": "de", "fence": .integer(fence),
            ]
        }
        app.put("BugleResource", [segment(3, updated: "2026-11-01T00:00:00.000Z")])
        let registry = try await Registry.test()
        let pull = LivePull(into: registry, from: connection(), http: app, pausing: CountedPause(1))
        _ = try await pull.copy("BugleResource")
        try await pull.continueFences()
        app.put("BugleResource", [segment(9, updated: "2026-11-21T12:00:10.000Z")])
        await #expect(throws: CancellationError.self) { try await pull.follow(["BugleResource"]) { _ in } }
        let lock = try JSONValue(parsing: try #require(try await registry.contents("BugleLock").first))
        #expect(lock["fence"]?.integer == 9)
    }

    @Test func refusedCredentialsEndIt() async throws {
        app.with { $0.answers = [(401, #"{"code":401,"error":"Unauthorized."}"#)] }
        let pull = LivePull(into: try await Registry.test(), from: connection(), http: app, pausing: NoPause())
        await #expect(throws: RemoteError.self) { try await pull.follow(["_Installation"]) { _ in } }
    }

    /// Otherwise it would copy the new server into itself, and look as if nothing were left to do.
    @Test func anAddressThatHasTurnedToItsOwnServerEndsIt() async throws {
        let registry = try await Registry.test()
        let identity = try await Journal(registry).identity()
        let app = app
        let pull = LivePull(
            into: registry, from: connection(), http: app,
            pausing: CountedPause(9) { left in if left == 6 { app.with { $0.registry = identity } } })
        let error = await #expect(throws: TransferError.self) { try await pull.follow(["_Installation"]) { _ in } }
        #expect(error?.description.contains("the domain has turned") == true)
    }

    // MARK: The way back

    private func giveBack(
        _ registry: Registry, since: Instant? = nil, isWriting: Bool = true
    ) async throws -> DeviceReturn.Report {
        try await DeviceReturn(of: registry, to: connection(retries: 3), http: app, pausing: NoPause())
            .run(since: since, isWriting: isWriting)
    }

    /// A registry with a copy of three devices, to which two have registered since: one of them new.
    private func turned() async throws -> Registry {
        app.put("_Installation", (1...3).map { device($0) })
        let registry = try await Registry.test()
        let pull = LivePull(into: registry, from: connection(), http: app, pausing: NoPause())
        _ = try await pull.copy("_Installation")
        let later = try #require(Instant("2026-11-21T12:05:00Z"))
        _ = try await registry.update(
            "id2", in: .installation, with: ["channels": ["Mets"]], as: .client, at: later)
        _ = try await registry.create(
            ["deviceType": "ios", "deviceToken": "token9", "installationId": "i9"], in: .installation, as: .client,
            at: later)
        return registry
    }

    @Test func whatRegisteredHereIsFoundAndWrittenOnlyIfAskedTo() async throws {
        let registry = try await turned()
        let before = app.with { $0.classes["_Installation"] }
        let found = try await giveBack(registry, isWriting: false)
        #expect(found.found == 2 && found.examples.count == 2 && found.written == 0)
        #expect(app.with { $0.classes["_Installation"] } == before)
        app.with { $0.writtenAt = "2026-11-21T12:06:00.000Z" }
        let report = try await giveBack(registry)
        #expect(report.found == 2 && report.written == 2 && report.refused.isEmpty)
        let devices = try #require(app.with { $0.classes["_Installation"] })
        #expect(devices["id2"]?["channels"] == ["Mets"] && devices["id1"]?["channels"] == ["Giants", "新闻"])
        #expect(devices.filter { $0.value["deviceToken"] == "token9" }.count == 1 && devices.count == 4)
        // Again: there is nothing left.
        #expect(try await giveBack(registry).found == 0)
    }

    @Test func anAnswerThatIsLostWritesNoDeviceTwice() async throws {
        let registry = try await turned()
        app.with { state in
            state.writtenAt = "2026-11-21T12:06:00.000Z"
            state.lostAnswers = 3
        }
        #expect(try await giveBack(registry).written == 2)
        let devices = try #require(app.with { $0.classes["_Installation"] })
        #expect(devices.count == 4, "\(devices.keys)")
    }

    @Test func whatWasWrittenThereLaterStays() async throws {
        let registry = try await turned()
        app.put("_Installation", [device(2, updated: "2026-11-21T12:10:00.000Z", ["channels": ["A's"]])])
        #expect(try await giveBack(registry).found == 1)
        #expect(app.with { $0.classes["_Installation"]?["id2"]?["channels"] } == ["A's"])
    }

    /// The times of the old service were read before the first device is written.
    @Test func whatIsWrittenThereWhileOthersAreGivenBackStaysToo() async throws {
        let registry = try await turned()
        app.with { state in
            state.writtenAt = "2026-11-21T12:06:00.000Z"
            state.onRequest = { state in
                guard state.requests.last?.path.hasSuffix("/installations/id2") == true else { return }
                state.classes["_Installation"]?["id2"] = device(
                    2, updated: "2026-11-21T12:05:30.000Z", ["channels": ["A's"]])
            }
        }
        let report = try await giveBack(registry)
        #expect(report.found == 2 && report.written == 1 && report.refused.isEmpty, "\(report)")
        #expect(app.with { $0.classes["_Installation"]?["id2"]?["channels"] } == ["A's"])
    }

    @Test func whatRegisteredHereByAClockThatIsBehindIsGivenBackToo() async throws {
        app.put("_Installation", [device(1, updated: "2026-11-21T12:00:00.000Z")])
        let registry = try await Registry.test()
        let pull = LivePull(into: registry, from: connection(), http: app, pausing: NoPause())
        _ = try await pull.copy("_Installation")
        let behind = try #require(Instant("2026-11-21T11:59:30Z"))
        _ = try await registry.update(
            "id1", in: .installation, with: ["channels": ["Mets"]], as: .client, at: behind)
        app.with { $0.writtenAt = "2026-11-21T12:06:00.000Z" }
        #expect(try await giveBack(registry).written == 1)
        #expect(app.with { $0.classes["_Installation"]?["id1"]?["channels"] } == ["Mets"])
    }

    /// An app whose id the service does not know registers anew.
    @Test func whatRegistersThereUnderAnotherIDWhileOthersAreGivenBackStaysToo() async throws {
        let registry = try await turned()
        let time = "2026-11-21T12:05:30.000Z"
        let other: JSONValue = [
            "objectId": "other", "createdAt": .string(time), "updatedAt": .string(time), "deviceType": "ios",
            "deviceToken": "token9", "installationId": "i9", "channels": ["A's"],
        ]
        app.with { state in
            state.writtenAt = "2026-11-21T12:06:00.000Z"
            state.onRequest = { state in
                guard state.requests.last?.path.contains("/installations/") == true else { return }
                if state.classes["_Installation"]?["other"] == nil { state.classes["_Installation"]?["other"] = other }
            }
        }
        let report = try await giveBack(registry)
        #expect(report.found == 2 && report.written == 1 && report.refused.isEmpty, "\(report)")
        #expect(app.with { $0.classes["_Installation"]?["other"] } == other)
    }

    @Test func whatTheServiceRefusesIsCountedAndTheOthersAreWritten() async throws {
        let registry = try await turned()
        let later = try #require(Instant("2026-11-21T12:05:00Z"))
        _ = try await registry.update(
            "id3", in: .installation, with: ["refused": true], as: .master, at: later)
        app.with { $0.writtenAt = "2026-11-21T12:06:00.000Z" }
        let report = try await giveBack(registry)
        #expect(report.found == 3 && report.written == 2 && report.refused.values.reduce(0, +) == 1, "\(report)")
    }

    @Test func withoutACopyTheTimeOfTheTurnMustBeSaid() async throws {
        let registry = try await Registry.test()
        let error = await #expect(throws: TransferError.self) { try await giveBack(registry) }
        #expect(error?.description.contains("--since") == true)
        #expect(try await giveBack(registry, since: .noon).found == 0)
    }
}
