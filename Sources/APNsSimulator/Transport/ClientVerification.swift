internal import NIOCore
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// Decides in the handshake whether a client's certificate is let in.
///
/// A certificate of another CA, a revoked one and one that is not valid now end the handshake
/// (<doc:/APNs/AppleCredentials#Certificates>).
struct ClientVerification: Sendable {
    private let authority: Certificate.PublicKey
    private let credentials: CredentialBook
    private let clock: SimulatorClock

    init(identity: SimulatorIdentity, credentials: CredentialBook, clock: SimulatorClock) {
        authority = identity.authority.publicKey
        self.credentials = credentials
        self.clock = clock
    }

    /// What the certificate says, when it is let in.
    func accepted(_ certificate: NIOSSLCertificate) -> ClientCertificate? {
        guard let bytes = try? certificate.toDERBytes(), let parsed = try? Certificate(derEncoded: bytes),
            authority.isValidSignature(parsed.signature, for: parsed)
        else { return nil }
        let facts = ClientCertificate(parsed)
        guard facts.isValid(at: clock.seconds), !credentials.isRevoked(serial: facts.serial) else { return nil }
        return facts
    }

    /// The callback of swift-nio-ssl.
    func verify(_ chain: [NIOSSLCertificate], _ promise: EventLoopPromise<NIOSSLVerificationResult>) {
        promise.succeed(chain.first.flatMap(accepted) == nil ? .failed : .certificateVerified)
    }
}
