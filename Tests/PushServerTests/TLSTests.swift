import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import ProgramTesting
import PushServer
import Synchronization
import Testing

/// The server with a certificate.
@Suite struct TLSTests {
    /// What a TLS client got from a server, as text.
    private static func exchange(
        _ port: Int, _ request: String, trusting pem: String, _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
        change(&configuration)
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var text = ""
            for try await buffer in inbound { text += String(buffer: buffer) }
            return text
        }
    }

    private static func run(
        _ change: @escaping (inout PushServerConfiguration) -> Void = { _ in },
        _ test: (ServiceServer, TestCertificate) async throws -> Void
    ) async throws {
        try await inFolder { (folder) async throws in
            let made = try TestCertificate()
            let paths = try made.write(to: folder)
            let certificate = try ServerCertificate(path: paths.certificate, keyPath: paths.key)
            let configure: (inout PushServerConfiguration) -> Void = {
                change(&$0)
                $0.certificate = certificate
            }
            try await ServiceServer.run(configure) { (server) async throws in
                try await test(server, made)
            }
        }
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func requestsAreAnsweredOverEitherVersion(version: TLSVersion) async throws {
        try await Self.run { (server, certificate) async throws in
            let body = #"{"deviceType":"ios","deviceToken":"secured"}"#
            let headers = ["Content-Length: \(body.utf8.count)", "Connection: close"]
            let request = head("POST /1.1/installations", headers) + body
            let text = try await Self.exchange(server.port, request, trusting: certificate.pem) {
                $0.minimumTLSVersion = version
                $0.maximumTLSVersion = version
            }
            #expect(text.hasPrefix("HTTP/1.1 201 Created"))
            #expect(text.contains("Location: https://test/1.1/installations/"))
        }
    }

    @Test func aRenewedCertificateIsShownAtTheNextHandshake() async throws {
        try await Self.run { (server, old) async throws in
            let request = head("GET /1.1/date", ["Connection: close"])
            #expect(try await Self.exchange(server.port, request, trusting: old.pem).hasPrefix("HTTP/1.1 200 OK"))
            let renewed = try TestCertificate()
            try await inFolder { folder in
                let paths = try renewed.write(to: folder)
                server.server.use(try ServerCertificate(path: paths.certificate, keyPath: paths.key))
            }
            #expect(try await Self.exchange(server.port, request, trusting: renewed.pem).hasPrefix("HTTP/1.1 200 OK"))
            await #expect(throws: (any Error).self) {
                try await Self.exchange(server.port, request, trusting: old.pem)
            }
        }
    }

    @Test func olderVersionsAreRefused() async throws {
        try await Self.run { (server, certificate) async throws in
            await #expect(throws: (any Error).self) {
                try await Self.exchange(
                    server.port, head("GET /1.1/date", ["Connection: close"]), trusting: certificate.pem
                ) {
                    $0.minimumTLSVersion = .tlsv1
                    $0.maximumTLSVersion = .tlsv11
                }
            }
        }
    }

    @Test func onlyForwardSecretAuthenticatedCiphersAreOfferedToVersion12() async throws {
        try await Self.run { (server, certificate) async throws in
            let request = head("GET /1.1/date", ["Connection: close"])
            for (suites, isTaken) in [("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-AES128-SHA", false)] {
                let text = try? await Self.exchange(server.port, request, trusting: certificate.pem) {
                    $0.maximumTLSVersion = .tlsv12
                    $0.cipherSuites = suites
                }
                #expect((text != nil) == isTaken, "\(suites)")
            }
        }
    }

    @Test func plainTextAndHalfHandshakesHarmNobody() async throws {
        let configure: (inout PushServerConfiguration) -> Void = {
            $0.limits.openingTimeout = .milliseconds(500)
            // However slow the machine is, only the handshake's time ends.
            $0.limits.idleTimeout = .seconds(3600)
            $0.limits.requestTimeout = .seconds(3600)
        }
        try await Self.run(configure) { (server, certificate) async throws in
            let isEnded = try await server.dialog { port in
                let plain = try RawConnection(port)
                plain.send(head("GET /1.1/date"))
                let half = try RawConnection(port)
                half.send([0x16, 0x03, 0x01])
                return !plain.rest().contains("200 OK") && half.rest().utf8.count < 100
            }
            #expect(isEnded)
            // A handshake that takes a busy machine too long is cut off as well.
            let request = head("GET /1.1/date", ["Connection: close"])
            try await eventually {
                let text = try? await Self.exchange(server.port, request, trusting: certificate.pem)
                return text?.hasPrefix("HTTP/1.1 200 OK") == true
            }
        }
    }

    @Test func whatDoesNotBelongTogetherIsSaidAtTheStart() async throws {
        try await inFolder { (folder) async throws in
            let first = try TestCertificate().write(to: folder, name: "first")
            let second = try TestCertificate().write(to: folder, name: "second")
            for (certificate, key, words) in [
                (first.certificate, second.key, "does not belong to the certificate"),
                (first.key, first.key, "is not a PEM file of certificates"),
                (first.certificate, first.certificate, "is not a PEM file of an unencrypted key"),
                (folder.path + "/none", first.key, "cannot be read"),
                (first.certificate, folder.path + "/none", "cannot be read"),
                (folder.path, first.key, "cannot be read"),
            ] {
                let error = #expect(throws: PushServerError.self) {
                    try ServerCertificate(path: certificate, keyPath: key)
                }
                #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            }
        }
    }
}
