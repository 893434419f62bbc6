import Foundation
import Subprocess
import SystemPackage
import Testing

/// What a plan says of certificates and keys that Apple would not take; nothing is asked of any remote.
@Suite(.timeLimit(.minutes(10)))
struct CredentialTests {
    /// A folder with a workspace, in which certificates are made.
    private struct Bench {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")

        func write(_ path: String, _ text: String) throws {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        func openssl(_ arguments: String...) async throws {
            let result = try await Subprocess.run(
                .path("/usr/bin/openssl"), arguments: Arguments(arguments),
                workingDirectory: FilePath(folder.appending(path: "ca").path), output: .discarded,
                error: .string(limit: 1 << 16))
            try #require(result.terminationStatus.isSuccess, "\(arguments): \(result.standardError)")
        }

        /// Makes `NAME.pem`, a certificate with its key, and `NAME.key`.
        func certificate(
            _ name: String, _ subject: String = "/UID=com.example.app/CN=Apple Push Services: com.example.app",
            from start: String = "20200101000000Z", to end: String = "20990101000000Z"
        ) async throws {
            try await openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "\(name).key")
            try await openssl("req", "-new", "-key", "\(name).key", "-subj", subject, "-out", "request")
            try await openssl(
                "ca", "-selfsign", "-batch", "-notext", "-config", "ca.cnf", "-keyfile", "\(name).key", "-in",
                "request", "-startdate", start, "-enddate", end, "-out", "\(name).crt")
            let files = try [".crt", ".key"].map {
                try String(contentsOf: folder.appending(path: "ca/\(name)\($0)"), encoding: .utf8)
            }
            try write("certificates/\(name).pem", files.joined())
            try write("certificates/\(name).crt", files[0])
        }

        /// Runs a test with an authority that signs what it is given.
        static func run(_ test: (Bench) async throws -> Void) async throws {
            let bench = Bench()
            defer { try? FileManager.default.removeItem(at: bench.folder) }
            try bench.write(
                "ca/ca.cnf",
                """
                [ca]
                default_ca = own
                [own]
                database = index.txt
                serial = serial
                new_certs_dir = .
                policy = any
                default_md = sha256
                unique_subject = no
                [any]
                UID = optional
                commonName = supplied

                """)
            try bench.write("ca/index.txt", "")
            try bench.write("ca/serial", "01\n")
            try await test(bench)
        }

        func bugle(_ arguments: String...) async throws -> Run {
            try await Program.run(
                arguments, environment: ["KEY": "x", "PASS": "wrong", "EMPTY": ""], folder: folder)
        }
    }

    private static let workspace = """
        kind: Workspace
        name: giants
        defaultRemote: nowhere
        remotes:
          nowhere: {type: leancloud, url: "http://127.0.0.1:1", appId: a, masterKey: {env: KEY}}

        """

    private static func profile(_ name: String, _ credential: String, environment: String = "production") -> String {
        "kind: DeviceProfile\nname: \(name)\nenvironment: \(environment)\ntopic: com.example.app\n\(credential)\n---\n"
    }

    @Test func everythingThatAppleWouldNotTakeIsSaidAtItsLine() async throws {
        try await Bench.run { bench in
            try bench.write("bugle.yaml", Self.workspace)
            try await bench.certificate("good")
            try await bench.certificate("expired", to: "20210101000000Z")
            try await bench.certificate("future", from: "20980101000000Z")
            try await bench.certificate(
                "topic", "/UID=com.example.other/CN=Apple Push Services: com.example.other")
            try await bench.certificate(
                "sandbox", "/UID=com.example.app/CN=Apple Development IOS Push Services: com.example.app")
            try await bench.openssl(
                "pkcs12", "-export", "-in", "good.crt", "-inkey", "good.key", "-passout", "pass:right", "-out",
                "../certificates/locked.p12")
            try bench.write("certificates/garbage.p12", "garbage")
            try bench.write("certificates/key.p8", "garbage")
            try FileManager.default.copyItem(
                at: bench.folder.appending(path: "ca/topic.key"),
                to: bench.folder.appending(path: "certificates/other.key"))
            func certificate(_ file: String, _ more: String = "") -> String {
                "certificate: {file: certificates/\(file)\(more)}"
            }
            let profiles = [
                Self.profile("good", certificate("good.pem")), Self.profile("expired", certificate("expired.pem")),
                Self.profile("future", certificate("future.pem")), Self.profile("topic", certificate("topic.pem")),
                Self.profile("sandbox", certificate("sandbox.pem")),
                Self.profile("locked", certificate("locked.p12", ", passphrase: {env: PASS}")),
                Self.profile("garbage", certificate("garbage.p12")),
                Self.profile("mismatch", certificate("good.crt", ", key: {file: certificates/other.key}")),
                Self.profile("key", "token: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {file: certificates/key.p8}}"),
            ]
            try bench.write("profiles.yaml", profiles.joined())
            let expected = [
                (2, "expired: the certificate expired at 2021-01-01T00:00:00Z"),
                (3, "future: the certificate is not valid before 2098-01-01T00:00:00Z"),
                (4, "topic: the certificate is not for topic com.example.app but for com.example.other"),
                (5, "sandbox: the certificate is not for production but for development"),
                (6, "locked: the passphrase does not open the file"),
                (7, "garbage: the file is neither PKCS#12 (.p12) nor PEM"),
                (8, "mismatch: the private key does not belong to the certificate"),
                (9, "key: the key is not PEM text"),
            ]
            for command in ["plan", "validate"] {
                let run = try await bench.bugle(command)
                #expect(run.status != 0)
                for (place, text) in expected {
                    #expect(run.everything.contains(text), "\(text)\n\(run.everything)")
                    #expect(run.everything.contains("profiles.yaml:\((place - 1) * 6 + 5):"), "\(place)")
                }
                #expect(!run.everything.contains("good:") && !run.everything.contains("PRIVATE KEY"))
            }
        }
    }

    @Test func authoritiesThatCannotBeReadAreSaidAtTheirLine() async throws {
        try await Bench.run { bench in
            try bench.write(
                "bugle.yaml", Self.workspace.replacing("appId: a,", with: "appId: a, ca: authorities.pem,"))
            func expect(_ command: String, _ status: Int32, _ text: String) async throws {
                let run = try await bench.bugle(command)
                #expect(run.status == status, "\(run.everything)")
                #expect(run.everything.contains(text), "\(run.everything)")
                #expect(run.everything.contains("bugle.yaml:5:"), "\(run.everything)")
            }
            try await expect("plan", 3, "error: the CA certificates of nowhere: authorities.pem does not exist")
            // It may be the deploying machine's alone.
            try await expect("validate", 0, "note: the CA certificates of nowhere: authorities.pem does not exist")
            for (text, problem) in [
                ("", "is empty"), ("garbage", "contains no PEM certificate"),
                ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "contains no PEM certificate"),
            ] {
                try bench.write("authorities.pem", text)
                for command in ["plan", "validate"] {
                    try await expect(
                        command, 3, "error: the CA certificates of nowhere: authorities.pem \(problem)")
                }
            }
        }
    }

    @Test func aPushTypeWhoseTopicTheCertificateLacksIsSaidAtTheCampaign() async throws {
        try await Bench.run { bench in
            try bench.write(
                "bugle.yaml",
                "kind: Workspace\nname: giants\nremotes:\n  apple: {type: apns, registry: {sqlite: devices.sqlite}}\n")
            try await bench.certificate("good")
            try bench.write("profiles.yaml", Self.profile("app", "certificate: {file: certificates/good.pem}"))
            try bench.write(
                "call.yaml",
                """
                kind: Campaign
                name: call
                audience: {platforms: [ios], where: {calls: true}}
                message: {pushType: voip, data: {caller: Ann}}
                expiration: {after: 0s}

                """)
            let run = try await bench.bugle("validate")
            #expect(run.status != 0)
            let text =
                "call.yaml:4:21: error: the certificate of device profile 'app' is not for topic com.example.app.voip"
            #expect(run.everything.contains(text), "\(run.everything)")
        }
    }
}
