import Foundation
import ProgramTesting
import Synchronization
import Testing

@testable import PushServer

/// Who shows no key has few of the requests to the backend, and an address few of these.
@Suite(.timeLimit(.minutes(10))) struct StrangerTests {
    private static let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    /// Runs a test with requests of one address that the backend has and does not answer, as many as it may have.
    private func stalled(
        _ test: (_ front: TestServer, _ backend: RecordingBackend, _ leave: @Sendable () -> Void) async throws -> Void
    ) async throws {
        let backend = try RecordingBackend()
        try await TestServer.run(configure: {
            ($0.upstream, $0.upstreamTimeout) = (backend.url, .seconds(3600))
            // Who has left is noticed whenever the machine comes to it.
            $0.limits.strangerPatience = .seconds(3600)
        }) { (front) async throws in
            let port = front.port
            let connections = Connections()
            try await onThread { try connections.open(16, port) { head("GET /1.1/users/me", key: .none) } }
            let came = (0..<4).map { _ in ProgramTesting.Gate() }
            let held = came.map { came in Task { try await backend.serve(nil) { came.open() } } }
            for came in came { await came.pass() }
            try await test(front, backend) { connections.close() }
            connections.close()
            for held in held { _ = try await held.value }
        }
    }

    private func status(_ port: Int, from address: String, path: String = "users/me") async throws -> Int {
        try await onThread {
            let connection = try RawConnection(port, from: address)
            connection.send(head("GET /1.1/\(path)", key: .none))
            return try connection.reply().status
        }
    }

    @Test func sixteenRequestsOfOneAddressToASlowBackendLeaveRoomForOthers() async throws {
        try await stalled { front, backend, _ in
            async let seen = backend.serve(Self.fine)
            #expect(try await status(front.port, from: "127.0.0.2") == 200)
            _ = try await seen
        }
    }

    @Test func aRequestWhoseClientHasLeftIsGivenUp() async throws {
        try await stalled { front, backend, leave in
            leave()
            // Of those that left, some may have gone to the backend in place of others, and come first.
            async let seen: Void = {
                while try await !backend.serve(Self.fine).contains("users/next") {}
            }()
            #expect(try await status(front.port, from: "127.0.0.1", path: "users/next") == 200)
            try await seen
        }
    }

    @Test func anAddressHasItsShareOfAGate() async throws {
        let gate = ClientGate(places: 4, share: 2)
        var own = [
            await gate.enter(from: "a", within: .seconds(3600)), await gate.enter(from: "a", within: .seconds(3600)),
        ]
        #expect(own.allSatisfy { $0 != nil })
        #expect(await gate.enter(from: "a", within: .milliseconds(1)) == nil)
        let next = Task { await gate.enter(from: "a", within: .seconds(3600)) }
        let others = [
            await gate.enter(from: "b", within: .seconds(3600)), await gate.enter(from: nil, within: .seconds(3600)),
        ]
        #expect(others.allSatisfy { $0 != nil })
        #expect(await gate.enter(from: "c", within: .milliseconds(1)) == nil)
        own.removeLast()
        #expect(await next.value != nil)
        withExtendedLifetime((own, others)) {}
    }

    @Test func whoIsCancelledWaitsNoMoreForAGate() async throws {
        let gate = ClientGate(places: 1, share: 1)
        let place = await gate.enter(from: "a", within: .seconds(3600))
        let waiting = ["a", "b"].map { address in Task { await gate.enter(from: address, within: .seconds(3600)) } }
        for waiting in waiting { waiting.cancel() }
        for waiting in waiting { #expect(await waiting.value == nil) }
        withExtendedLifetime(place) {}
    }
}

/// Connections that are closed together.
private final class Connections: Sendable {
    private struct Held: @unchecked Sendable {
        let connections: [RawConnection]
    }

    private let held = Mutex(Held(connections: []))

    /// Opens some, and sends a text on each.
    func open(_ count: Int, _ port: Int, _ text: () -> String) throws {
        let opened = try (0..<count).map { _ in try RawConnection(port, from: "127.0.0.1") }
        for connection in opened { connection.send(text()) }
        held.withLock { $0 = Held(connections: opened) }
    }

    func close() { held.withLock { $0 = Held(connections: []) } }
}
