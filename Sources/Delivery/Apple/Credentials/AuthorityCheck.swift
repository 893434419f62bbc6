package import Base
package import Push

/// Checks the bundle of further authorities that a remote names: one that holds none would be found out by the first
/// connection only, in words that name no file.
package struct AuthorityCheck: Sendable {
    private let secrets: SecretReader

    /// Reads files as secrets are read.
    package init(secrets: SecretReader) { self.secrets = secrets }

    /// Returns the problems of a remote's `ca`, at its line.
    ///
    /// If `isNeeded`, the remote is about to be asked, so that a file that is not here is an error.
    package func findings(_ remote: RemoteDeclaration, isNeeded: Bool) -> [Diagnostic] {
        guard let path = remote.ca else { return [] }
        func finding(_ severity: Severity, _ code: DiagnosticCode, _ problem: String) -> [Diagnostic] {
            [
                Diagnostic(
                    severity, code, "the CA certificates of \(remote.name): \(problem)",
                    at: remote.origin.range(of: ["remotes", .key(remote.name), "ca"]),
                    help: "'ca' is the path of a PEM file of CA certificates, relative to the workspace's folder")
            ]
        }
        let bytes: [UInt8]
        do throws(SecretReader.Unavailable) {
            bytes = try secrets.bytes(.file(.path(path)))
        } catch {
            return error.isAbsent && !isNeeded
                ? finding(.note, .certificateNotChecked, error.reason) : finding(.error, .certificate, error.reason)
        }
        if bytes.isEmpty { return finding(.error, .certificate, "\(path) is empty") }
        return CertificateBundle.count(in: bytes) > 0
            ? [] : finding(.error, .certificate, "\(path) contains no PEM certificate")
    }
}
