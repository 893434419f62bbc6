import Testing

@testable import PushServer

/// Large bodies that come to a stop, and connections that have said their last.
@Suite struct StalledBodyTests {
    /// However slow the machine is, nothing ends for its time.
    private static func patient(_ configuration: inout PushServerConfiguration) {
        configuration.limits.requestTimeout = .seconds(3600)
        configuration.limits.idleTimeout = .seconds(3600)
        configuration.limits.openingTimeout = .seconds(3600)
        configuration.limits.bodySpeedInterval = .seconds(3600)
    }

    @Test func stalledBodiesOfAnAddressLeaveRoomForTheMasterAndForOthers() async throws {
        try await ServiceServer.run(Self.patient) { (server) async throws in
            let statuses = try await server.dialog { port in
                let size = 2 * ServerLimits.largeBodySize
                let body = [UInt8](repeating: UInt8(ascii: " "), count: size)
                let stalled = try (0..<8).map { _ in try RawConnection(port) }
                for connection in stalled {
                    connection.send(head("POST /1.1/installations", ["Content-Length: \(size)"]))
                    connection.send(Array(body.dropLast()))
                }
                return try [(TestServer.Key.master, "127.0.0.1"), (.app, "127.0.0.2")].map { key, address in
                    let connection = try RawConnection(port, from: address)
                    connection.send(head("POST /1.1/installations", ["Content-Length: \(size)"], key: key))
                    connection.send(body)
                    return try connection.reply().status
                }
            }
            // Blanks are no JSON; what counts is that both were read.
            #expect(statuses == [400, 400])
        }
    }

    @Test func aLargeBodyThatStallsGivesUpItsPlace() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            Self.patient(&$0)
            $0.limits.largeBodies = 1
            $0.limits.bodySpeedInterval = .milliseconds(50)
        }
        try await ServiceServer.run(configure) { (server) async throws in
            let reply = try await server.dialog { port in
                let size = 2 * ServerLimits.largeBodySize
                let connection = try RawConnection(port)
                connection.send(head("POST /1.1/installations", ["Content-Length: \(size)"]))
                connection.send([UInt8](repeating: UInt8(ascii: " "), count: size - 1))
                return try connection.reply()
            }
            #expect(reply.status == 408)
        }
    }

    @Test(arguments: [
        "GET /1.1/date HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n",
        "GET /1.1/date HTTP/1.1\r\nHost: x\r\nConnection: x-hop, CLOSE\r\n\r\n",
        "GET /1.1/date HTTP/1.0\r\n\r\n", "GET /1.1/date HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "POST /1.1/installations HTTP/1.1\r\nHost: x\r\nConnection: Close\r\nContent-Length: 2\r\n\r\n{}",
    ])
    func theConnectionEndsWithTheClientsLastRequest(request: String) async throws {
        try await ServiceServer.run(Self.patient) { (server) async throws in
            let (reply, rest) = try await server.dialog { port in
                let connection = try RawConnection(port)
                // What comes after it is none of ours.
                connection.send(request + "GET /1.1/date HTTP/1.1\r\nHost: x\r\n\r\n")
                return (try connection.reply(), connection.rest())
            }
            #expect(reply.status == 401)
            #expect(reply.head.lowercased().contains("connection: close"))
            #expect(rest.isEmpty)
        }
    }
}
