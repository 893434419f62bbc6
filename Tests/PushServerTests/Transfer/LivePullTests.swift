import Base
import DeviceRegistry
import Foundation
import HTTP
import LeanCloud
import Push
import RegistryTesting
import Testing

@testable import PushServer

@Suite struct LivePullTests {
    private let app = FakeApp()
    private let pausing = NoPause()
    private static let masterKey = "master-key-9f8e7d6c5b4a"

    private func pull(
        into registry: Registry, _ name: String = "_Installation", all: Bool = false, retries: Int = 3
    ) async throws -> TransferReport? {
        let connection = LeanCloudConnection(
            url: "https://push.example.com", appId: "giants", masterKey: Secret(Self.masterKey), retries: retries)
        return try await LivePull(into: registry, from: connection, http: app, pausing: pausing, pageSize: 10)
            .copy(name, all: all)
    }

    private func devices(_ count: Int) -> [JSONValue] { (0..<count).map { device(1000 + $0) } }

    /// What an uninterrupted copy gives.
    private func wanted() async throws -> [String] {
        let registry = try await Registry.test()
        _ = try await pull(into: registry)
        return try await registry.contents()
    }

    @Test func everyObjectArrivesAsItIs() async throws {
        let acl: JSONValue = ["*": ["read": true]]
        app.put("_Installation", devices(35) + [device(1, ["ACL": acl])])
        let registry = try await Registry.test()
        let report = try #require(try await pull(into: registry))
        #expect(report.added == 36 && report.skippedCount == 0)
        let contents = try await registry.contents()
        #expect(contents.count == 36)
        let first = try JSONValue(parsing: contents[0])
        #expect(first["objectId"] == "id1" && first["ACL"] == acl)
        #expect(first["createdAt"] == "2026-01-02T03:04:05.678Z" && first["updatedAt"] == "2026-10-02T00:00:00.000Z")
    }

    @Test func whatPostgreSQLCannotHoldIsLeftOutAndNothingElse() async throws {
        let strange = [device(1, ["note": ["a\u{0}b"]]), device(2, ["note": [["k\u{0}": 1]]])]
        app.put("_Installation", devices(12) + strange)
        let registry = try await Registry.copies(1)[0]
        let report = try #require(try await pull(into: registry))
        #expect(report.added == 12 && report.skippedCount == 2)
        #expect(Set(report.examples.map(\.place)) == ["object id1", "object id2"])
        #expect(try await registry.contents().count == 12)
    }

    @Test func theKeyIsNeverSent() async throws {
        app.put("_Installation", devices(3))
        _ = try await pull(into: try await Registry.test())
        let headers = app.with { $0.signatures.map { [$0.0, $0.1] } }
        #expect(headers.contains { $0[0] == "X-LC-Sign" && $0[1].hasSuffix(",master") })
        #expect(!headers.joined().contains { $0.contains(Self.masterKey) })
    }

    @Test(arguments: [true, false])
    func whereverItIsInterruptedTheNextRunEndsWithTheSame(canScan: Bool) async throws {
        app.put("_Installation", devices(47))
        app.with { $0.canScan = canScan }
        let wanted = try await wanted()
        let needed = app.with { $0.requests.count }
        for limit in 0..<needed {
            let registry = try await Registry.test()
            app.with { state in
                state.requests = []
                state.diesAfter = limit
            }
            await #expect(throws: RemoteError.self) { try await pull(into: registry) }
            let before = try await registry.contents().count
            app.with { state in
                state.requests = []
                state.diesAfter = nil
            }
            _ = try await pull(into: registry)
            #expect(try await registry.contents() == wanted)
            // What was read once is not read again.
            #expect(app.with { $0.requests.count } <= needed - limit + 1)
            #expect(before <= 10 * limit)
        }
    }

    @Test func aLostCursorBeginsAgainAndEndsWithTheSame() async throws {
        app.put("_Installation", devices(47))
        let wanted = try await wanted()
        let registry = try await Registry.test()
        app.with { state in
            state.requests = []
            state.diesAfter = 3
        }
        await #expect(throws: RemoteError.self) { try await pull(into: registry) }
        app.with { state in
            state.diesAfter = nil
            // Ten minutes later.
            state.cursors = [:]
        }
        let report = try #require(try await pull(into: registry))
        #expect(report.kept >= 30 && report.added == 17)
        #expect(try await registry.contents() == wanted)
    }

    @Test func aServiceThatForgetsEveryCursorIsAClearError() async throws {
        app.put("_Installation", devices(47))
        app.with { $0.onRequest = { $0.cursors = [:] } }
        let registry = try await Registry.test()
        await #expect(throws: TransferError.self) {
            // The first page always comes, so the loop has to be ended by counting.
            try await pull(into: registry)
        }
    }

    @Test func whatChangesMeanwhileArrivesToo() async throws {
        app.put("_Installation", devices(47))
        app.with { state in
            state.onRequest = { state in
                guard state.requests.count == 3 else { return }
                // Both were passed already: one is changed, one is new.
                let now = "2026-11-21T12:00:30.000Z"
                state.classes["_Installation"]?["id1001"] = device(1001, updated: now, ["changed": true])
                state.classes["_Installation"]?["id0"] = device(0, updated: now)
            }
        }
        let registry = try await Registry.test()
        let report = try #require(try await pull(into: registry))
        #expect(report.added == 48 && report.updated == 1)
        #expect(try await registry.contents().filter { $0.contains("changed") }.count == 1)
    }

    @Test func aSecondPullAsksOnlyForWhatWasWrittenSince() async throws {
        app.put("_Installation", devices(47))
        let registry = try await Registry.test()
        _ = try await pull(into: registry)
        app.put("_Installation", [device(5, updated: "2026-11-21T12:00:10.000Z")])
        app.with { $0.requests = [] }
        let report = try #require(try await pull(into: registry))
        #expect(report.read == 1 && report.added == 1)
        #expect(app.with { $0.requests.count } == 1)
        let everything = try #require(try await pull(into: registry, all: true))
        #expect(everything.read >= 48)
    }

    /// The clock here is behind that of the old service.
    @Test func whatRegisteredHereIsNotReplacedByTheVersionThatItReplaced() async throws {
        app.put("_Installation", [device(1, updated: "2026-11-21T12:00:00.000Z")])
        let registry = try await Registry.test()
        _ = try await pull(into: registry)
        let behind = try #require(Instant("2026-11-21T11:59:30Z"))
        _ = try await registry.update(
            "id1", in: .installation, with: ["channels": ["Mets"]], as: .client, at: behind)
        #expect(try await pull(into: registry, all: true)?.updated == 0)
        let here = try JSONValue(parsing: try #require(try await registry.contents().first))
        #expect(here["channels"] == ["Mets"])
    }

    @Test func refusalsForATimeAreWaitedFor() async throws {
        app.put("_Installation", devices(3))
        app.with {
            $0.answers = [
                (429, #"{"code":429,"error":"Too many requests."}"#), (503, "busy"), (500, #"{"code":1,"error":"x"}"#),
            ]
        }
        let report = try #require(try await pull(into: try await Registry.test()))
        #expect(report.added == 3)
        #expect(pausing.pauses.count == 3)
        #expect(pausing.pauses.first == .seconds(61))
    }

    /// Each page as a service without an end might give it, by its number.
    private static let endless: [String: @Sendable (Int) -> JSONValue] = [
        "oneCursor": { _ in ["results": [device(1)], "cursor": "c"] },
        "oneCursorAndEmptyPages": { _ in ["results": [], "cursor": "c"] },
        "aCircleOfCursors": { ["results": [device($0 % 3)], "cursor": .string("c\($0 % 3)")] },
        "emptyPages": { ["results": [], "cursor": .string("c\($0)")] },
    ]

    @Test(arguments: endless.keys.sorted())
    func aScanWithoutEndIsAClearError(name: String) async throws {
        let page = try #require(Self.endless[name])
        app.with { $0.onRequest = { $0.answers = [(200, page($0.requests.count).canonicalText)] } }
        let error = await #expect(throws: RemoteError.self) { try await pull(into: try await Registry.test()) }
        #expect(
            error?.description.contains(
                name == "emptyPages" ? "keeps returning empty pages" : "keeps repeating its cursor") == true,
            "\(String(describing: error))")
        #expect(app.with { $0.requests.count } <= 1001)
    }

    @Test func aShortOrEmptyPageIsNotTheLastWhileThereIsACursor() async throws {
        let pages: [JSONValue] = [
            ["results": [device(1)], "cursor": "c1"], ["results": [], "cursor": "c2"],
            ["results": [device(2), device(3)], "cursor": nil], ["results": []],
        ]
        app.with { $0.answers = pages.map { (200, $0.canonicalText) } }
        #expect(try await pull(into: try await Registry.test())?.added == 3)
    }

    /// A service without cursors may give fewer objects than it is asked for.
    @Test func aShortPageIsNotTheLastWithoutCursorsEither() async throws {
        app.put("_Installation", devices(47))
        app.with { state in
            state.canScan = false
            state.mostObjects = 7
        }
        #expect(try await pull(into: try await Registry.test())?.added == 47)
    }

    @Test(arguments: [
        (500, 20, "20 20 20 20 20"), (500, 30, "30 30 30 10"), (503, 100, "100"), (429, 61, "61 61 61 61 61 61"),
    ])
    func failuresAreNotTriedAgainPastTheTimeout(status: Int, wait: Int, pauses: String) async throws {
        let time = VirtualTime(backoff: .seconds(wait))
        app.with { state in state.answers = Array(repeating: (status, #"{"code":\#(status),"error":"x"}"#), count: 6) }
        app.put("_Installation", devices(3))
        let silence = SilenceLimit(.seconds(100), http: app, pausing: time, now: { time.now })
        let connection = LeanCloudConnection(
            url: "https://push.example.com", appId: "giants", masterKey: Secret(Self.masterKey), retries: 10)
        let scan = LeanCloudAPI(connection, http: silence, pausing: silence).scan("_Installation")
        if status == 429 {
            #expect(try await scan.page(at: .start)?.objects.count == 3)
        } else {
            await #expect(throws: ClassScan.Failure.self) { try await scan.page(at: .start) }
        }
        #expect(time.pauses.map { "\($0.components.seconds)" }.joined(separator: " ") == pauses)
        #expect(silence.isOver == (status != 429) && silence.lastStatus == (status == 429 ? nil : status))
    }

    @Test func aServerThatIsNotTrustedIsAskedOnceAndSaidToBeSo() async throws {
        struct Mistrusted: HTTPExchanging {
            func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
                throw TransportError(
                    .tls, sent: .nothing, request: "GET https://push.example.com", detail: "self-signed")
            }
        }
        let time = VirtualTime(backoff: .seconds(1))
        let silence = SilenceLimit(.seconds(100), http: Mistrusted(), pausing: time, now: { time.now })
        let connection = LeanCloudConnection(
            url: "https://push.example.com", appId: "giants", masterKey: Secret(Self.masterKey), retries: 10)
        let scan = LeanCloudAPI(connection, http: silence, pausing: silence).scan("_Installation")
        await #expect(throws: ClassScan.Failure.self) { try await scan.page(at: .start) }
        #expect(time.pauses.isEmpty && silence.isOver && silence.mistrust?.contains("self-signed") == true)
    }

    @Test func wrongKeysAndOddAnswersAreErrors() async throws {
        app.put("_Installation", devices(3))
        for (status, body) in [
            (401, #"{"code":401,"error":"Unauthorized."}"#), (200, "<html>"), (200, "{}"), (200, #"{"results":[1]}"#),
            (200, #"{"results":{}}"#),
        ] {
            app.with { $0.answers = [(status, body)] }
            await #expect(throws: RemoteError.self, "\(body)") { try await pull(into: try await Registry.test()) }
        }
    }

    @Test func whatBreaksARuleIsSkippedAndNamed() async throws {
        app.put(
            "_Installation",
            devices(12) + [
                device(1, ["deviceType": nil]), device(13, ["deviceToken": ""]), ["objectId": "odd", "a": 1],
            ])
        let report = try #require(try await pull(into: try await Registry.test()))
        #expect(report.added == 12 && report.unreachable == 1)
        #expect(Set(report.examples.map(\.place)) == ["object id1", "object odd"])
    }

    @Test func theLedgerMovesAndTheLockNever() async throws {
        let entry: JSONValue = [
            "objectId": "e1", "createdAt": "2026-11-01T00:00:00.000Z", "updatedAt": "2026-11-01T00:00:00.000Z",
            "workspace": "giants", "state": "scheduled", "ACL": [:],
        ]
        app.put("BugleLedger", [entry])
        app.put("BugleLock", [entry])
        let registry = try await Registry.test()
        #expect(try await pull(into: registry, "BugleLedger")?.added == 1)
        #expect(try await pull(into: registry, "BugleResource") == nil)
        await #expect(throws: TransferError.self) { try await pull(into: registry, "BugleLock") }
        #expect(try JSONValue(parsing: try #require(try await registry.contents("BugleLedger").first)) == entry)
        #expect(!LivePull.classes.contains("BugleLock"))
    }

    /// A service that is being closed may say so of every class: the copy is not in step with it.
    @Test func aClassThatWasCopiedAndIsGoneIsAClearError() async throws {
        app.put("_Installation", devices(3))
        let registry = try await Registry.test()
        _ = try await pull(into: registry)
        app.with { $0.classes = [:] }
        let error = await #expect(throws: TransferError.self) { try await pull(into: registry) }
        #expect(error?.isPassing == true, "a copy that follows asks again")
        #expect(try await registry.contents().count == 3)
    }

    @Test func aPushWhoseTimeHasPassedIsNoLongerKeptByTheOldService() async throws {
        let registry = try await Registry.test()
        let noon = try #require(Instant("2026-11-21T12:00:00Z"))
        for (state, minutes) in [
            ("scheduled", -5), ("scheduled", 5), ("unknown", -5), ("cancelling", -5), ("sent", 5),
        ] {
            let at = (noon + .seconds(minutes * 60)).isoText
            _ = try await registry.create(
                ["workspace": "giants", "state": .string(state), "scheduledAt": .string(at)], in: .ledger, as: .master,
                at: noon)
        }
        let connection = LeanCloudConnection(
            url: "https://push.example.com", appId: "giants", masterKey: Secret(Self.masterKey))
        let pull = LivePull(into: registry, from: connection, http: app)
        #expect(try await pull.openDeliveries(at: noon) == 3)
    }

    /// With a part of it, an apply would send again what the rest says was delivered.
    @Test func aLedgerComesOverAsAWholeOrNotAtAll() async throws {
        app.put(
            "BugleLedger",
            (10..<35).map { number in
                [
                    "objectId": .string("e\(number)"), "createdAt": "2026-11-01T00:00:00.000Z",
                    "updatedAt": "2026-11-01T00:00:00.000Z", "workspace": "giants", "state": "sent",
                ]
            })
        app.with { $0.diesAfter = 2 }
        let registry = try await Registry.test()
        await #expect(throws: RemoteError.self) { try await pull(into: registry, "BugleLedger") }
        await #expect(throws: RegistryError.self) { try await registry.contents("BugleLedger") }
        app.with { $0.diesAfter = nil }
        #expect(try await pull(into: registry, "BugleLedger")?.added == 25)
        #expect(try await registry.contents("BugleLedger").count == 25)
    }

    /// Here its push was never received and is in no list: it would be sent once more, or called cancelled.
    @Test func whatOnlyTheOldServiceCanFollowUpWaitsForItOrForAPerson() async throws {
        func entry(_ state: String, updated: String) -> JSONValue {
            [
                "objectId": "e1", "createdAt": "2026-11-01T00:00:00.000Z", "updatedAt": .string(updated),
                "workspace": "giants", "state": .string(state), "scheduledId": 4711,
            ]
        }
        let registry = try await Registry.test()
        for (state, updated, copied) in [
            ("sending", "2026-11-01T00:00:00.000Z", "unknown"), ("scheduled", "2026-11-21T12:00:10.000Z", "scheduled"),
            ("sent", "2026-11-21T12:00:20.000Z", "sent"),
        ] {
            app.put("BugleLedger", [entry(state, updated: updated)])
            _ = try await pull(into: registry, "BugleLedger")
            let here = try JSONValue(parsing: try #require(try await registry.contents("BugleLedger").first))
            #expect(here["state"]?.string == copied && here["scheduledId"] == nil)
        }
    }
}
