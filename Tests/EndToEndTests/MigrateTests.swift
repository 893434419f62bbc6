import Base
import Delivery
import DeviceRegistry
import Foundation
import HTTPTesting
import Push
import PushServer
import RegistryTesting
import Testing

/// `bugle migrate`, from the first look to the day after the move.
@Suite struct MigrateTests {
    @Test func itSaysWhatIsNextUntilTheDomainHasMoved() async throws {
        let scheduled = String.campaign("later", more: "schedule: {at: 2026-11-22T12:00:00Z}\nexpiration: {after: 7d}")
        try await World.run([
            "a.yaml": .giants, "b.yaml": .campaign("one"), "c.yaml": scheduled, "p.yaml": World.apple,
        ]) { world in
            try await world.devices(30)
            try await world.apply()
            try await world.withNewServer { new, relay, port in
                _ = world.takeSeen()
                let first = try await world.migrate(relay)
                #expect(first.status == 6, "\(first.everything)")
                #expect(first.output.contains("30 devices of Apple's get pushes"), "\(first.output)")
                #expect(first.output.contains("30 get pushes at the old service, 0 at the new server: run"))
                #expect(first.output.contains("2 deliveries are not at the new server, such as"))
                #expect(first.output.contains("1 wait at the old service, until 2026-11-22"))
                #expect(
                    first.output.contains("30 devices were seen in the last 30 days and will register by themselves"))
                #expect(first.output.contains("\nNext: "))

                try await world.copy(["_Installation", "BugleLedger", "BugleResource"], into: new)
                let second = try await world.migrate(relay)
                #expect(second.status == 6, "\(second.everything)")
                #expect(second.output.contains("all 2 deliveries are at the new server"), "\(second.output)")
                #expect(second.output.contains("Next: pending pushes: 1 wait"), "\(second.output)")

                let seen = world.takeSeen()
                #expect(!seen.isEmpty && seen.allSatisfy { $0.method == "GET" })

                world.advance(.seconds(1))
                // What is cancelled then is the push that has replaced the copied one.
                let replaced = scheduled.replacing("12:00", with: "13:00")
                for text in [replaced, replaced + "hold: true\n"] {
                    try world.write("c.yaml", text)
                    try await world.apply("--remote", "local")
                }
                let outdated = try await world.migrate(relay)
                let words = "1 deliveries were cancelled since they were copied, such as later@1"
                #expect(outdated.status == 6 && outdated.output.contains(words), "\(outdated.everything)")
                try await world.copy(["BugleLedger"], into: new)
                let third = try await world.migrate(relay)
                #expect(third.status == 0, "\(third.everything)")
                #expect(third.output.contains("The domain may be moved. Next: point 127.0.0.1:\(relay.port) to"))

                // More devices come while the domain still leads to the old service.
                try await world.devices(20, prefix: "late")
                let late = try await world.migrate(relay)
                #expect(late.status == 6 && late.output.contains("Next: devices: 50 get pushes"), "\(late.output)")

                relay.move(to: port)
                let early = try await world.migrate(relay)
                #expect(early.status == 6 && early.output.contains("✗ sample: 30 of 50 devices"), "\(early.output)")
                try await world.copy(["_Installation"], into: new)
                let moved = try await world.migrate(relay, "--format", "json")
                #expect(moved.status == 0, "\(moved.everything)")
                let report = try JSONValue(parsing: moved.output)
                #expect(report["state"] == "moved")
                #expect(report["next"]?.string?.contains("bugle-server pull") == true)
                #expect(report["findings"]?.array?.contains { $0["subject"] == "registrations" } == true)
            }
        }
    }

    /// What was refused or unsent when it was copied may have been sent, or given up, since.
    @Test(arguments: [("refused", false), ("unsent", true)])
    func aDeliveryThatTheNewServerWouldTryAgainIsNotThere(copiedAs state: String, isGivenUp: Bool) async throws {
        try await lacking(
            files: ["a.yaml": .giants, "b.yaml": .campaign("one")],
            "1 deliveries are not at the new server, such as one@1"
        ) { world, new, _ in
            try await world.apply("--remote", "local")
            let found = try await world.call("GET", "/scan/classes/BugleLedger?limit=1000&returnACL=true")
            var entry = try #require(found["results"]?.array?.first?.object)
            entry["state"] = .string(state)
            _ = try await new.transfer([try TransferredObject(entry)], into: .ledger)
            guard isGivenUp else { return }
            let id = try #require(entry["objectId"]?.string)
            _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", ["state": "unsent", "missed": true])
        }
    }

    /// A copy brings no orders: the new server would send what was stopped.
    @Test func whatWasStoppedIsDecidedBeforeTheDomainMoves() async throws {
        let scheduled = String.campaign("later", more: "schedule: {at: 2026-11-22T12:00:00Z}\nexpiration: {after: 7d}")
        try await World.run(["a.yaml": .giants, "c.yaml": scheduled, "p.yaml": World.apple]) { world in
            try await world.devices(3)
            try await world.apply()
            let stop = try await world.bugle("stop", "later", "--reason", "wrong link")
            #expect(stop.status == 0, "\(stop.everything)")
            _ = try await world.apply(expecting: 7)
            try await world.withNewServer { new, relay, _ in
                try await world.copy(into: new)
                let run = try await world.migrate(relay)
                #expect(run.status == 6 && run.output.contains("not settled, such as later@1"), "\(run.everything)")
            }
        }
    }

    /// A profile of Apple's devices needs a certificate here; what Android's devices call so is a vendor's setting.
    @Test func profilesThatTheWorkspaceLacksAreNamed() async throws {
        try await World.run(["p.yaml": World.apple]) { world in
            for (type, profile, key) in [
                ("ios", "driver", "deviceToken"), ("ios", "production", "deviceToken"),
                ("android", "mi", "installationId"),
            ] {
                _ = try await world.call(
                    "POST", "/installations",
                    .object(["deviceType": .string(type), "deviceProfile": .string(profile), key: .string(profile)]))
            }
            try await world.withNewServer { new, relay, _ in
                try await world.copy(["_Installation"], into: new)
                let run = try await world.migrate(relay)
                #expect(
                    run.status == 6 && run.output.contains("✗ deviceProfile driver: 1 devices have it"), "\(run.output)"
                )
                #expect(!run.output.contains("deviceProfile mi"), "\(run.output)")
                #expect(run.output.contains("✗ Android: 1 devices have no way at the new server"), "\(run.output)")
            }
        }
    }

    /// What else can make a domain look ready that is not: the new server has what the old one has, and lacks one thing.
    private func lacking(
        files: [String: String] = [:], apple: AppleService? = World.service(), move: Bool = false,
        _ words: String, status: Int32 = 6,
        change: (World, Registry, DomainRelay) async throws -> Void = { _, _, _ in }
    ) async throws {
        try await World.run(files.merging(["p.yaml": World.apple]) { $1 }) { world in
            try await world.devices(30)
            try await world.withNewServer(apple: apple) { new, relay, port in
                try await world.copy(["_Installation"], into: new)
                try await world.startLedger()
                if move { relay.move(to: port) }
                try await change(world, new, relay)
                let run = try await world.migrate(relay)
                #expect(run.status == status && run.output.contains(words), "\(run.everything)")
                #expect(status == 0 || !run.output.contains("The domain"), "\(run.output)")
            }
        }
    }

    private static func removeDevices(from registry: Registry) async throws {
        var query = ObjectQuery()
        query.limit = 1000
        let found = try await registry.find(query, in: .installation, as: .master).results
        try await registry.delete(found.compactMap { $0["objectId"]?.string }, in: .installation, as: .master)
    }

    @Test(arguments: [false, true]) func aServerThatReachesNoDeviceIsNotReady(isMoved: Bool) async throws {
        try await lacking(apple: nil, move: isMoved, "it simulates every device")
        try await lacking(apple: World.service(isHere: false), move: isMoved, "it reaches no device")
        try await lacking(
            apple: World.service(["other"]), move: isMoved,
            "✗ deviceProfile production: remote new has no usable credential")
    }

    @Test func asManyOtherDevicesAreNotTheSame() async throws {
        try await lacking("✗ sample: 0 of 30 devices of the old service are at the new server") { _, new, _ in
            try await Self.removeDevices(from: new)
            for number in 0..<30 {
                _ = try await new.create(
                    ["deviceType": "ios", "deviceToken": .string("x\(number)"), "channels": ["Giants"]],
                    in: .installation, as: .client, at: World.noon)
            }
        }
    }

    @Test func theClassesOfConditionsMustHaveComeOver() async throws {
        let condition = """
            kind: Segment
            name: fans
            where:
              team: {$inQuery: {className: Team, where: {league: one}}}
            """
        let words = "✗ segment fans: it queries the class Team, which is not at the new server"
        try await lacking(files: ["s.yaml": condition], words) { world, _, _ in
            _ = try await world.call("POST", "/classes/Team", ["league": "one"])
        }
        try await lacking(files: ["s.yaml": condition], "a query within its condition finds 9 objects") {
            world, new, _ in
            for _ in 0..<9 { _ = try await world.call("POST", "/classes/Team", ["league": "one"]) }
            _ = try await new.create(
                ["league": "two"], in: try ClassName("Team"), as: .master,
                at: World.noon)
        }
    }

    /// Devices that get no pushes any more need not come over: the new server forgets those that are stale.
    @Test func devicesThatGetNothingAreNotMissed() async throws {
        try await lacking("The domain may be moved", status: 0) { world, _, _ in
            for number in 0..<20 {
                _ = try await world.call(
                    "POST", "/installations",
                    ["deviceType": "ios", "deviceToken": .string("dead\(number)"), "valid": false])
            }
        }
    }

    @Test func anEmptyServerBehindTheDomainIsNoMove() async throws {
        try await lacking(move: true, "✗ devices: the new server has none") { _, new, _ in
            try await Self.removeDevices(from: new)
        }
    }

    @Test func anotherServerBehindTheDomainIsNotTheNewOne() async throws {
        try await lacking("another bugle-server than 127.0.0.1") { world, _, relay in relay.move(to: world.port) }
        let script = Script { _ in .answer(200, body: Array(#"{"status":"ok"}"#.utf8)) }
        try await TestServer.run(.http1, script) { server in
            let port = try #require(server.url("").split(separator: ":").last.flatMap { Int($0) })
            // It is not taken for a server like ours, let alone for the new one.
            try await lacking("The domain may be moved", status: 0) { _, _, relay in relay.move(to: port) }
        }
    }

    /// A world whose workspace names its server a second time, as `new`, under the address that `body` is given.
    private func naming(
        _ host: String, _ port: (World) -> Int = \.port, _ body: (World) async throws -> Void
    ) async throws {
        try await World.run(["p.yaml": World.apple]) { world in
            let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
            let same = """
                remotes:
                  new: {type: leancloud, url: "http://\(host):\(port(world))/", appId: giants-demo, masterKey: {env: BUGLE_SERVER_KEY}}
                """
            try world.write("bugle.yaml", text.replacing("remotes:", with: same))
            try await body(world)
        }
    }

    @Test(arguments: [("127.0.0.1", "have the same address"), ("localhost", "lead to one bugle-server")])
    func whatHasOneAddressIsNotMoved(_ host: String, _ words: String) async throws {
        try await naming(host) { world in
            let run = try await world.bugle("migrate", "--from", "local", "--to", "new")
            #expect(run.status == 64 && run.everything.contains(words), "\(run.everything)")
        }
    }

    /// Whatever its addresses are, a server that is compared with itself lacks nothing.
    @Test func oneServerUnderTwoAddressesIsNotReady() async throws {
        let relay = try DomainRelay(to: 1)
        defer { relay.close() }
        try await naming("127.0.0.1", { _ in relay.port }) { world in
            relay.move(to: world.port)
            try await TestServer.run(.http1, Script { _ in .answer(200, body: Array("{}".utf8)) }) { server in
                let run = try await world.bugle(
                    "migrate", "--from", "local", "--to", "new", "--domain", server.url(""))
                #expect(run.status == 64 && run.everything.contains("lead to one bugle-server"), "\(run.everything)")
            }
        }
    }

    /// The day after, LeanCloud's own address is still asked; when it is gone, that is said and no error.
    @Test func anOldServiceThatIsGoneIsNoErrorAfterTheMove() async throws {
        try await lacking(move: true, "what was written there after the last copy cannot be compared", status: 0) {
            world, _, _ in
            let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
            try world.write("bugle.yaml", text.replacing("127.0.0.1:\(world.port)", with: "127.0.0.1:1"))
        }
    }

    @Test func aSharedHostCannotBeMoved() async throws {
        try await World.run { world in
            try await world.withNewServer { _, _, _ in
                try world.write("p.yaml", World.apple)
                let run = try await world.bugle(
                    "migrate", "--from", "local", "--to", "new", "--domain", "abcd1234.lc-cn-n1-shared.com")
                #expect(run.output.contains("it is LeanCloud's own and cannot be moved"), "\(run.everything)")
            }
        }
    }

    @Test func whatCannotBeAskedIsSaidWithItsOwnCode() async throws {
        try await World.run { world in
            try await world.withNewServer { _, relay, _ in
                let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
                try world.write("bugle.yaml", text.replacing("appId: giants-demo,", with: "appId: another,"))
                let run = try await world.migrate(relay)
                #expect(run.status == 4, "\(run.everything)")
                #expect(run.output.contains("remote new: ") && run.output.contains("check appId and masterKey"))
            }
        }
    }

    /// The new server's certificate is looked at under the domain's name before the domain leads there.
    @Test(arguments: [
        ("localhost", "0a1b", "✓ domain localhost: 127.0.0.1:PORT has a certificate for it"),
        ("localhost", "", "✗ server 127.0.0.1:PORT: the server there is not a bugle-server"),
        ("push.invalid", "0a1b", "✗ domain push.invalid: 127.0.0.1:PORT has no certificate for it"),
        ("push.invalid", "", "✗ domain push.invalid: it has no address"),
    ])
    func theCertificateForTheDomainIsLookedAtFirst(domain: String, registry: String, words: String) async throws {
        let script = Script { _ in .answer(200, headers: [("X-Bugle-Registry", registry)], body: Array("{}".utf8)) }
        try await World.run(["p.yaml": World.apple]) { world in
            try await TestServer.run(.http1, script) { server in
                let port = try #require(server.url("").split(separator: ":").last)
                let ca = try ServerCertificate.trusted.caFile
                let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
                let more = """
                    remotes:
                      new: {type: leancloud, url: "https://127.0.0.1:\(port)", appId: a, masterKey: {env: BUGLE_SERVER_KEY}, ca: \(ca)}
                    """
                try world.write("bugle.yaml", text.replacing("remotes:", with: more))
                let run = try await world.bugle("migrate", "--from", "local", "--to", "new", "--domain", domain)
                #expect(run.output.contains(words.replacing("PORT", with: port)), "\(run.everything)")
            }
        }
    }
}
