internal import Base
internal import Delivery
internal import Foundation

extension FuzzTarget {
    /// Certificates and keys as `p12`, PEM and `.p8`; what they are made of is made at the start and kept nowhere.
    /// A file says how often a key is derived of its passphrase, a million times at most; that takes its time.
    static let credentials = FuzzTarget(
        name: "credentials", sources: ["Delivery/Apple/Credentials", "Delivery/Apple/OpenSSL"],
        words: [
            "-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\n",
            "-----END PRIVATE KEY-----\n", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "Proc-Type: 4,ENCRYPTED\n",
            "====",
        ], allowance: 5,
        prepare: {
            Prepared(inputs: try await made(by: script)) { bytes in
                _ = try? CertificateIdentity.read(bytes, passphrase: Secret("x"))
                _ = try? CertificateIdentity.read(bytes, passphrase: nil)
                _ = try? SigningKey.read(bytes)
            }
        })

    /// 1.2.840.113635.100.6.3.6 lists the topics of a certificate of Apple's.
    private static let script = """
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.p8
        openssl req -x509 -new -key key.p8 -days 30 -out certificate.pem \\
          -subj '/UID=com.example.app/CN=Apple Push Services: com.example.app' \\
          -addext '1.2.840.113635.100.6.3.6=DER:30:10:0C:07:63:6F:6D:2E:61:70:70:30:05:0C:03:61:70:70' \\
          -addext '1.2.840.113635.100.6.3.2=DER:05:00'
        cat certificate.pem key.p8 > both.pem
        openssl x509 -in certificate.pem -outform DER -out certificate.cer
        openssl pkcs8 -topk8 -in key.p8 -passout pass:x -out encrypted.p8
        openssl pkcs12 -export -in both.pem -passout pass:x -out full.p12
        openssl pkcs12 -export -in both.pem -passout pass:x -iter 33000 -out slow.p12
        openssl pkcs12 -export -in both.pem -passout pass: -out empty.p12
        openssl pkcs12 -export -in both.pem -passout pass:x -nomac -out nomac.p12
        openssl pkcs12 -export -in both.pem -passout pass: -nomac -keypbe NONE -certpbe NONE -out plain.p12
        """

    /// The files that a shell's script makes in a folder of its own, in the order of their names.
    private static func made(by script: String) async throws -> [[UInt8]] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", script]
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try await process.runToEnd()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap {
            FileManager.default.contents(atPath: folder.appendingPathComponent($0).path).map { [UInt8]($0) }
        }
    }
}

extension Process {
    /// Runs it; `waitUntilExit` can miss the end of a process when it does not wait on the main thread.
    func runToEnd() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        terminationHandler = { _ in end.finish() }
        try run()
        for await _ in ends {}
    }
}
