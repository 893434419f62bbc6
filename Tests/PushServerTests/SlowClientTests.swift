import DeviceRegistry
import Foundation
import HTTPTesting
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import PushServer

/// Clients that are slow, that stop half way, or that are too many.
@Suite struct SlowClientTests {
    private static func quick(_ configuration: inout PushServerConfiguration) {
        configuration.limits.requestTimeout = .milliseconds(300)
    }

    @Test(arguments: [
        head("POST /1.1/installations", ["Content-Length: 10"]) + "{",
        head("POST /1.1/installations", ["Transfer-Encoding: chunked"]) + "1\r\n{\r\n",
        "GET /1.1/date HTTP/1.1\r\nX-LC-Id: gia", "G",
    ])
    func aRequestThatDoesNotArriveInTimeIs408(bytes: String) async throws {
        try await ServiceServer.run(Self.quick) { (server) async throws in
            let (reply, isEnded) = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send(bytes)
                return (try connection.reply(), connection.isEnded())
            }
            #expect(reply.status == 408)
            #expect(reply.body == #"{"code":408,"error":"The request did not arrive in time."}"#)
            #expect(isEnded)
        }
    }

    @Test func aByteNowAndThenDoesNotHoldAConnection() async throws {
        try await ServiceServer.run(Self.quick) { (server) async throws in
            let sent = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send("GET /1.1/date HTTP/1.1\r\nX: ")
                // Each byte comes well within every timeout; only all of them together take too long.
                var count = 0
                while connection.isSilent, count < 15_000 {
                    connection.send("a")
                    usleep(20_000)
                    count += 1
                }
                return count
            }
            #expect(sent < 15_000)
        }
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
        // A connection is idle before its first request, too, which a busy machine may send late.
        let (status, isEnded) = try await withPatience(until: { $0.0 != nil }) { limit in
            let configure: (inout PushServerConfiguration) -> Void = { $0.limits.idleTimeout = limit }
            return try await ServiceServer.run(configure) { (server) async throws in
                try await server.dialog { port in
                    let connection = try RawConnection(port)
                    connection.send(head("GET /1.1/date"))
                    let status = try? connection.reply().status
                    return (status, connection.isEnded())
                }
            }
        }
        #expect(status == 200)
        #expect(isEnded)
    }

    @Test func halfRequestsHarmNobodyAndChangeNothing() async throws {
        try await ServiceServer.run { (server) async throws in
            let body = #"{"deviceType":"ios","deviceToken":"half"}"#
            try await server.dialog { port in
                for cut in stride(from: 0, to: body.utf8.count, by: 7) {
                    let connection = try RawConnection(port)
                    connection.send(head("POST /1.1/installations", ["Content-Length: \(body.utf8.count)"]))
                    connection.send(Array(body.utf8.prefix(cut)))
                }
            }
            #expect(try await server.call("GET", "/1.1/date").status == 200)
            #expect(try await server.registry.deviceCount() == 0)
        }
    }

    @Test func manyStalledConnectionsLeaveOthersAlone() async throws {
        try await ServiceServer.run { (server) async throws in
            let statuses = try await server.dialog { port in
                let stalled = try (0..<100).map { _ in try RawConnection(port) }
                for (index, connection) in stalled.enumerated() {
                    connection.send(
                        index % 2 == 0 ? "GET /1.1/da" : head("POST /1.1/push", ["Content-Length: 900"]) + "{")
                }
                return try (0..<20).map { _ in
                    let connection = try RawConnection(port)
                    connection.send(head("GET /1.1/date"))
                    return try connection.reply().status
                }
            }
            #expect(statuses == Array(repeating: 200, count: 20))
        }
    }

    private static func crowded(_ configuration: inout PushServerConfiguration) {
        configuration.limits.maxConnections = 2
        configuration.limits.connectionShare = .off
        // However slow the machine is, the place for health is lent for as long as the test takes.
        configuration.limits.openingTimeout = .seconds(3600)
        configuration.limits.idleTimeout = .seconds(3600)
    }

    @Test func ofConnectionsTooManyOneIsLookedAtTheNextWaitsAndTheOthersGoOn() async throws {
        try await ServiceServer.run(Self.crowded) { (server) async throws in
            let (wasSilent, status) = try await server.dialog { port in
                let first = try RawConnection(port)
                var second: RawConnection? = try RawConnection(port)
                for connection in [first, second] {
                    connection?.send(head("GET /1.1/date"))
                    _ = try connection?.reply()
                }
                let third = try RawConnection(port)
                repeat { first.send(head("GET /metrics")) } while try !first.reply().body.contains("_open 3")
                let fourth = try RawConnection(port)
                fourth.send(head("GET /1.1/date"))
                first.send(head("GET /1.1/date"))
                #expect(try first.reply().status == 200)
                let wasSilent = fourth.isSilent
                second = nil
                // Before the third leaves: the place that the fourth takes is the second's.
                let status = try fourth.reply().status
                third.send(head("GET /health"))
                #expect(try third.reply().status == 200)
                return (wasSilent, status)
            }
            #expect(wasSilent)
            #expect(status == 200)
        }
    }

    @Test func ofThoseThatWaitEachIsAcceptedWhenThereIsAPlaceForIt() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            Self.crowded(&$0)
            $0.limits.maxConnections = 1
        }
        try await ServiceServer.run(configure) { (server) async throws in
            let statuses = try await server.dialog { port in
                var connections = [try RawConnection(port)]
                connections[0].send(head("GET /1.1/date"))
                _ = try connections[0].reply()
                let extra = try RawConnection(port)
                repeat {
                    connections[0].send(head("GET /metrics"))
                } while try !connections[0].reply().body.contains("_open 2")
                // Nothing is accepted any more: all of them are in the system's queue when the first leaves.
                for _ in 0..<3 { connections.append(try RawConnection(port)) }
                for connection in connections { connection.send(head("GET /1.1/date")) }
                var statuses: [Int] = []
                while !connections.isEmpty {
                    statuses.append(try connections[0].reply().status)
                    connections.removeFirst()
                }
                withExtendedLifetime(extra) {}
                return statuses
            }
            #expect(statuses == [200, 200, 200, 200])
        }
    }

    /// The listener hears of a connection's end as soon as it is closed, and accepts the next on its own thread.
    @Test func aConnectionThatIsAcceptedWhileAnotherLeavesGetsItsPlaceAndNoneBefore() throws {
        var configuration = PushServerConfiguration(applicationID: "giants", masterKey: ServerKey("master-key"))
        configuration.limits.maxConnections = 1
        configuration.limits.connectionShare = .off
        let places = ConnectionPlaces(configuration, ServerMetrics(), Logger(label: "test"))
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let channel = EmbeddedChannel()
        let accepted = Mutex<ConnectionPlace?>(nil)
        channel.closeFuture.whenComplete { _ in accepted.withLock { $0 = places.take(address)?.place } }
        let taken = try #require(places.take(address))
        #expect(taken.place == .regular)
        // Its place is its own also before it is set up and active.
        #expect(places.take(address)?.place == .health)
        try channel.pipeline.syncOperations.addHandler(ConnectionDeadline(taken, within: .seconds(3600)))
        try channel.connect(to: address).wait()
        #expect(places.take(address)?.place == .health)
        try channel.close().wait()
        channel.embeddedEventLoop.run()
        #expect(accepted.withLock { $0 } == .regular)
        #expect(places.take(address)?.place == .health)
    }

    @Test func healthIsAnsweredWhenAllPlacesAreTakenAndNothingElseIs() async throws {
        try await ServiceServer.run(Self.crowded) { (server) async throws in
            try await server.dialog { port in
                let others = try (0..<2).map { _ in try RawConnection(port) }
                for connection in others {
                    connection.send(head("GET /1.1/date"))
                    #expect(try connection.reply().status == 200)
                }
                for (target, status) in [("/health", 200), ("/1.1/date", 503), ("/health?x=1", 200)] {
                    let extra = try RawConnection(port)
                    extra.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                    let reply = try extra.reply()
                    #expect(reply.status == status)
                    #expect(reply.head.lowercased().contains("connection: close"))
                    #expect(extra.isEnded())
                }
            }
        }
    }

    @Test func aConnectionWithoutAFirstByteEndsLongBeforeAnIdleOne() async throws {
        let (isEnded, status) = try await withPatience(until: { $0.1 != nil }) { limit in
            let configure: (inout PushServerConfiguration) -> Void = {
                $0.limits.openingTimeout = limit
                $0.limits.idleTimeout = .seconds(3600)
                $0.limits.requestTimeout = .seconds(3600)
            }
            return try await ServiceServer.run(configure) { (server) async throws in
                try await server.dialog { port in
                    let begun = try RawConnection(port)
                    begun.send("G")
                    let isEnded = try RawConnection(port).isEnded()
                    begun.send("ET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                    return (isEnded, try? begun.reply().status)
                }
            }
        }
        #expect(isEnded)
        #expect(status == 200)
    }

    @Test func anAddressHasItsShareAndOneForHealth() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            $0.limits.connectionShare = .most(2)
            $0.limits.openingTimeout = .seconds(3600)
            $0.limits.idleTimeout = .seconds(3600)
        }
        try await ServiceServer.run(configure) { (server) async throws in
            try await server.dialog { port in
                func ask(_ target: String, on connection: RawConnection) throws -> Int {
                    connection.send(head("GET \(target)"))
                    return try connection.reply().status
                }
                /// What is answered once the place of a connection that ended before is free.
                func answer(_ target: String) -> Int {
                    while true {
                        if let status = try? ask(target, on: RawConnection(port)) { return status }
                        usleep(10_000)
                    }
                }
                let first = try RawConnection(port)
                var second: RawConnection? = try RawConnection(port)
                for connection in [first, second].compactMap(\.self) {
                    #expect(try ask("/1.1/date", on: connection) == 200)
                }
                let extras = try (0..<2).map { _ in try RawConnection(port) }
                while extras.allSatisfy(\.isSilent) { usleep(10_000) }
                let kept = try #require(extras.first { $0.isSilent })
                #expect(extras.contains { !$0.isSilent && $0.isEnded() })
                #expect(try ask("/health", on: kept) == 200)
                #expect(kept.isEnded())
                #expect(answer("/1.1/date") == 503)
                // Another address has its own.
                let elsewhere = try RawConnection(port, from: "127.0.0.2")
                #expect(try ask("/1.1/date", on: elsewhere) == 200)
                second = nil
                while answer("/1.1/date") != 200 { usleep(10_000) }
            }
            #expect(server.log.all.contains { $0.contains("127.0.0.1 has 2 connections, the most for one address") })
        }
    }

    @Test func aTrustedProxyHasNoShare() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            $0.limits.connectionShare = .most(1)
            $0.trustedProxies = ["127.0.0.1"]
        }
        try await ServiceServer.run(configure) { (server) async throws in
            let statuses = try await server.dialog { port in
                let connections = try (0..<10).map { _ in try RawConnection(port) }
                for connection in connections { connection.send(head("GET /1.1/date")) }
                return try connections.map { try $0.reply().status }
            }
            #expect(statuses == Array(repeating: 200, count: 10))
        }
    }

    @Test func aQuarterOfThePlacesIsAnAddressesShareByItself() {
        #expect(ServerLimits().connectionShare.most(of: 1024) == 256)
        #expect(ConnectionShare.quarter.most(of: 2) == 1)
        #expect(ConnectionShare.off.most(of: 2) == nil)
    }

    @Test func largeBodiesTakeTurns() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            $0.limits.largeBodies = 1
            $0.limits.requestTimeout = .seconds(3600)
            $0.limits.idleTimeout = .seconds(3600)
            $0.limits.bodySpeedInterval = .seconds(3600)
            $0.limits.largeBodyPatience = .seconds(3600)
        }
        try await ServiceServer.run(configure) { (server) async throws in
            let size = 2 * ServerLimits.largeBodySize
            let statuses = try await server.dialog { port in
                let connections = try (0..<4).map { _ in try RawConnection(port) }
                let body = [UInt8](repeating: UInt8(ascii: " "), count: size)
                for connection in connections {
                    connection.send(head("POST /1.1/installations", ["Content-Length: \(size)"]))
                }
                for connection in connections { connection.send(Array(body.dropLast(1000))) }
                let small = try RawConnection(port)
                small.send(head("GET /1.1/date"))
                let first = try small.reply().status
                for connection in connections { connection.send(Array(body.suffix(1000))) }
                return try [first] + connections.map { try $0.reply().status }
            }
            // Blanks are no JSON; what counts is that all were read, and a small request meanwhile.
            #expect(statuses == [200, 400, 400, 400, 400])
        }
    }

    @Test func thePlacesOfAGateAreGivenInTurnAndTakenBack() async throws {
        let gate = ClientGate(places: 1, share: 1)
        var place = await gate.enter(from: "a", within: .seconds(3600))
        #expect(place != nil)
        #expect(await gate.enter(from: "b", within: .milliseconds(1)) == nil)
        let next = Task { await gate.enter(from: "b", within: .seconds(3600)) != nil }
        place = nil
        #expect(await next.value)
        let last = await gate.enter(from: "a", within: .seconds(3600))
        #expect(last != nil)
        withExtendedLifetime(place) {}
    }

    @Test func aLargeBodyThatFindsNoPlaceIsAskedToComeBack() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            $0.limits.largeBodies = 1
            // However slow the machine is, only the waiting ends.
            $0.limits.requestTimeout = .seconds(3600)
            $0.limits.idleTimeout = .seconds(3600)
            $0.limits.bodySpeedInterval = .seconds(3600)
            $0.limits.largeBodyPatience = .milliseconds(50)
        }
        try await ServiceServer.run(configure) { (server) async throws in
            let size = 2 * ServerLimits.largeBodySize
            let reply = try await server.dialog { port in
                let connections = try (0..<2).map { _ in try RawConnection(port) }
                for connection in connections {
                    connection.send(head("POST /1.1/installations", ["Content-Length: \(size)"]))
                    connection.send([UInt8](repeating: UInt8(ascii: " "), count: size - 1))
                }
                // One of them has the place and never ends; the other waits.
                while true {
                    if let answered = connections.first(where: { !$0.isSilent }) { return try answered.reply() }
                    usleep(10_000)
                }
            }
            #expect(reply.status == 503)
            #expect(reply.body.contains(#""code":503"#))
        }
    }
}
