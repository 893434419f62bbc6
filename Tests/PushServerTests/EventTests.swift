import Base
import Foundation
import ProgramTesting
import Push
import PushServer
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// `POST /1.1/bugle/events`: what devices report of notifications.
@Suite struct EventTests {
    /// A server with a delivery that was sent to some of its devices.
    struct World {
        let server: TestServer
        /// The ids of the devices, in their order; the delivery was sent to all but the last ten.
        let devices: [String]

        static let delivery = "abcdefghijklmnop"

        init(_ server: TestServer, devices count: Int = 30) async throws {
            self.server = server
            var devices: [String] = []
            for number in 0..<count { devices.append(try await server.device(Self.token(number))) }
            self.devices = devices
            try await EventTests.deliver(
                Self.delivery, to: (0..<(count - 10)).map(Self.token), in: server.registry, at: server.clock.now)
        }

        static func token(_ number: Int) -> String { String(format: "%064x", number + 1) }

        func event(_ number: Int, _ kind: String = "received", _ more: JSONValue = [:]) -> JSONValue {
            var event: JSONValue = [
                "delivery": .string(Self.delivery), "installation": .string(devices[number]), "event": .string(kind),
            ]
            for (name, value) in more.object ?? [:] { event[name] = value }
            return event
        }

        func report(_ events: [JSONValue], key: TestServer.Key = .app) async throws -> Answer {
            try await server.call("POST", "/bugle/events", ["events": .array(events)], key: key)
        }

        /// The devices that received, opened and removed it, as counted.
        func counts() async throws -> [Int] {
            let figures = try await Journal(server.registry).events(of: Self.delivery)
            return figures.map { [$0.received, $0.opened, $0.dismissed] } ?? []
        }
    }

    /// Sends a delivery that counts events to devices, and closes it.
    static func deliver(_ delivery: String, to tokens: [String], in registry: Registry, at now: Instant) async throws {
        let store = Journal(registry) { now }
        let freeze = DeliveryFreeze(
            delivery: delivery, workspace: "",
            audience: DeliveryAudience(
                selection: .tokens(tokens), routes: [DeliveryRoute(profile: "main", topic: "t", isDefault: true)]),
            environment: "production", events: EventRetention(keep: .seconds(7 * 86_400)))
        _ = try await store.freeze(freeze, under: nil)
        while case .batch(let batch) = try await store.claim(from: delivery, by: "c", under: nil) {
            _ = try await store.settle(batch, [], under: nil)
        }
        _ = try await store.close(delivery, under: nil)
    }

    @Test func whatAnAppReportsCountsOnce() async throws {
        try await TestServer.run { (server) async throws in
            let world = try await World(server)
            let told = [world.event(0), world.event(1), world.event(1, "opened"), world.event(2, "dismissed")]
            for _ in 0..<3 {
                let answer = try await world.report(told)
                #expect(answer.status == 200)
                #expect(answer.body == ["accepted": 4, "refused": 0, "later": []])
            }
            #expect(try await world.counts() == [2, 1, 1])
        }
    }

    @Test func forgedEventsChangeNothing() async throws {
        try await TestServer.run { (server) async throws in
            let world = try await World(server)
            let forged: [JSONValue] = [
                world.event(25), world.event(29, "opened"),
                world.event(0, "received", ["delivery": "abcdefghijklmnoq"]),
                world.event(0, "received", ["installation": "0123456789abcdef01234567"]),
                world.event(0, "received", ["installation": "' OR 1=1 --"]), world.event(0, "bought"),
                world.event(0, "received", ["at": "yesterday"]), world.event(0, "received", ["at": 17]),
                world.event(0, "received", ["delivery": ["$ne": ""]]), "received", [], nil, 1e300,
                world.event(0, "received", ["installation": .string(String(repeating: "a", count: 5000))]),
            ]
            let answer = try await world.report(forged)
            #expect(answer.body == ["accepted": 0, "refused": .integer(Int64(forged.count)), "later": []])
            #expect(try await world.counts() == [0, 0, 0])
            #expect(try await world.report([world.event(0)], key: .none).status == 401)
            #expect(try await world.counts() == [0, 0, 0])
        }
    }

    @Test func hostileRequestsAreRefusedAsAWhole() async throws {
        try await TestServer.run { (server) async throws in
            let world = try await World(server)
            let one = world.event(0).canonicalText
            let bodies = [
                "", "[]", "{", #"{"events": {}}"#, #"{"events": "x"}"#, "{}",
                #"{"events": [\#(Array(repeating: one, count: 101).joined(separator: ","))]}"#,
                #"{"events": [\#(one)"#, #"{"events": "# + String(repeating: "[", count: 20_000),
                #"{"events": [\#(one)], "x": "\#(String(repeating: "y", count: 200_000))"}"#,
            ]
            for body in bodies {
                let answer = try await server.send("POST", "/bugle/events", bytes: Array(body.utf8), key: .app)
                #expect([400, 413].contains(answer.status), "\(body.prefix(60))")
            }
            #expect(try await server.call("GET", "/bugle/events", key: .app).status == 405)
            #expect(try await server.call("GET", "/bugle/server", key: .app).status == 403)
            #expect(try await world.counts() == [0, 0, 0])
        }
    }

    @Test func eventsOlderThanTheirDeliveryOrDatedInTheFutureAreRefused() async throws {
        try await TestServer.run { (server) async throws in
            let world = try await World(server)
            func told(_ distances: [Double]) -> [JSONValue] {
                distances.enumerated().map { number, seconds in
                    world.event(number, "opened", ["at": .string(Instant.noon.advanced(bySeconds: seconds).isoText)])
                }
            }
            #expect(try await world.report(told([-301, 301, -1e9, 1e9])).body["refused"] == 4)
            // Within what clocks may differ they are brought into the delivery.
            #expect(try await world.report(told([-299, 299])).body["accepted"] == 2)
            try await server.advance(7 * 86_400)
            #expect(try await world.report([world.event(3)]).body["refused"] == 1)
            #expect(try await world.counts() == [0, 2, 0])
            let hours = try await server.registry.read { db in
                try db.rows("SELECT hour, devices FROM eventCount", []).map { [$0.integer(0), $0.integer(1)] }
            }
            #expect(hours == [[Instant.noon.milliseconds, 2]])
        }
    }

    @Test func whatBecameOfReportsIsOnTheMetricsPage() async throws {
        try await TestServer.run { (server) async throws in
            let world = try await World(server)
            _ = try await world.report([world.event(0, "opened"), world.event(1, "opened"), world.event(25)])
            var page = ""
            // A request is counted a moment after its answer.
            try await eventually {
                page = try await HTTPClient.sendText("GET", "/metrics", port: server.port).text
                return page.contains(#"bugle_http_requests_total{route="events""#)
            }
            for line in [
                #"bugle_events_total{outcome="accepted",event="opened"} 2"#,
                #"bugle_events_total{outcome="accepted",event="received"} 0"#,
                #"bugle_events_total{outcome="refused"} 1"#, #"bugle_events_total{outcome="later"} 0"#,
                #"bugle_http_requests_total{route="events",status="200"} 1"#,
                #"bugle_delivery_accepted_devices{delivery="abcdefghijklmnop"} 20"#,
                #"bugle_delivery_event_devices{delivery="abcdefghijklmnop",event="opened"} 2"#,
                #"bugle_delivery_event_devices{delivery="abcdefghijklmnop",event="received"} 0"#,
            ] {
                #expect(page.contains(line + "\n"), "\(line)")
            }
        }
    }

    @Test(arguments: Language.allCases)
    func whatDevicesReportedIsOnTheOverviewWithItsShares(language: Language) async throws {
        try await TestServer.run { (server) async throws in
            let world = try await World(server)
            try await Journal(server.registry).put(
                DeployRecord(
                    workspace: "", kind: .ledger, key: World.delivery, document: ["campaign": "fans & <b>friends</b>"]),
                under: nil)
            _ = try await world.report((0..<15).map { world.event($0) } + [world.event(3, "opened")])
            let html = try await HTTPClient.sendText(
                "GET", "/console", port: server.port,
                headers: [
                    ("Cookie", try await server.consoleCookie()),
                    ("Accept-Language", language == .english ? "en" : "zh-CN"),
                ])
            let row = "//section[@aria-labelledby='counted-title']//tbody/tr"
            let page = try Page(html.text)
            #expect(try page.texts(row + "/th") == ["fans & <b>friends</b>"])
            #expect(
                try page.texts(row + "/td[@class='number']").map { $0.filter { !$0.isWhitespace } }
                    == ["1(5%)", "15(75%)", "0(0%)", "20"])
        }
    }

    @Test func copiesThatAreToldTheSameCountItOnce() async throws {
        let copies = try await Registry.copies(2)
        let first = try await TestServer(copies[0])
        let second = try await TestServer(copies[1])
        let world = try await World(first)
        let told = (0..<20).map { world.event($0) }
        try await withThrowingTaskGroup(of: JSONValue?.self) { group in
            for number in 0..<20 {
                let server = number.isMultiple(of: 2) ? first : second
                let mixed = number.isMultiple(of: 3) ? told : told.reversed()
                group.addTask {
                    while true {
                        let answer = try await server.call(
                            "POST", "/bugle/events", ["events": .array(mixed)], key: .app)
                        // Turned away by a busy machine, it reports again, as a device does.
                        if answer.status != 429 { return answer.body["accepted"] }
                    }
                }
            }
            for try await accepted in group { #expect(accepted == 20) }
        }
        #expect(try await world.counts() == [20, 0, 0])
        await first.server.stop()
        await second.server.stop()
    }
}
