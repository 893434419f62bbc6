import Base
import Foundation
import HTTP
import SwiftASN1
import Testing
import X509

@testable import Delivery

/// A client that shows a push certificate, against `openssl s_server` that asks for one.
@Suite struct ClientCertificateTests {
    /// A server with a certificate for 127.0.0.1, which takes clients with one certificate only.
    private final class Server {
        let process = Process()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let port: Int

        /// Starts one that takes the client certificate with this PEM.
        init(client: String) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            _ = try OpenSSLCommand.run(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=server", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                    folder.appendingPathComponent("key.pem").path, "-out", folder.appendingPathComponent("ca.pem").path,
                ])
            try Data(client.utf8).write(to: folder.appendingPathComponent("client.pem"))
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "ca.pem", "-key", "key.pem", "-CAfile",
                "client.pem", "-Verify", "1", "-verify_return_error", "-www",
            ]
            process.currentDirectoryURL = folder
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            // It says `ACCEPT 127.0.0.1:PORT` once it listens.
            var said = ""
            while !said.contains("\n") || !said.contains("ACCEPT ") {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                said += String(decoding: more, as: UTF8.self)
            }
            let digits = said.components(separatedBy: "ACCEPT 127.0.0.1:").last?.prefix { $0.isNumber }
            port = try #require(digits.flatMap { Int($0) }, "\(said)")
        }

        deinit {
            process.terminate()
            try? FileManager.default.removeItem(at: folder)
        }
    }

    @Test func aServerThatAsksForACertificateGetsIt() async throws {
        let key = try TestKey.ec()
        var certificate = TestCertificate()
        certificate.issuer = certificate.subject
        certificate.notAfter = Int64(Date().timeIntervalSince1970) + 86_400
        let pem = try certificate.make(for: key, signedBy: key).serializeAsPEM().pemString
        let identity = try CertificateIdentity.read(Array((pem + "\n" + key.pem).utf8), passphrase: nil)
        let server = try Server(client: pem)
        var configuration = HTTPClient.Configuration(caFile: server.folder.appendingPathComponent("ca.pem").path)
        let request = HTTPRequest(.get, "https://127.0.0.1:\(server.port)/", timeout: .seconds(100))

        let plain = try HTTPClient(configuration)
        await #expect(throws: TransportError.self) { try await plain.exchange(request) }
        plain.close()

        configuration.clientCertificate = ClientCertificate(
            chainPEM: identity.chainPEM.revealedBytes, keyPEM: identity.keyPEM.revealedBytes)
        let client = try HTTPClient(configuration)
        let answer = try await client.exchange(request)
        client.close()
        #expect(answer.status == 200)

        #expect("\(configuration)".contains("ClientCertificate") && !"\(configuration)".contains("45, 45, 45"))
    }
}
