internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificate for the next handshakes; connections that are open keep theirs.
final class CurrentCertificate: Sendable {
    private let current: Mutex<ServerCertificate>

    init(_ certificate: ServerCertificate) {
        current = Mutex(certificate)
    }

    /// Replaces the certificate.
    func use(_ certificate: ServerCertificate) {
        current.withLock { $0 = certificate }
    }

    /// The settings of the listening socket, which ask for the certificate at each handshake.
    var tls: TLSConfiguration {
        var tls = current.withLock { $0.tls }
        tls.sslContextCallback = { [self] _, promise in
            let latest = current.withLock { $0.tls }
            var change = NIOSSLContextConfigurationOverride()
            change.certificateChain = latest.certificateChain
            change.privateKey = latest.privateKey
            promise.succeed(change)
        }
        return tls
    }
}
