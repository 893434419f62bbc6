internal import NIOCore
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// Accepts or rejects a client's certificate during the handshake.
///
/// A certificate that is from another CA, revoked or not currently valid fails the handshake
/// (docs/background/apple/credentials.md#certificates).
struct ClientVerification: Sendable {
    private let authority: Certificate.PublicKey
    private let credentials: CredentialBook
    private let clock: SimulatorClock

    init(identity: SimulatorIdentity, credentials: CredentialBook, clock: SimulatorClock) {
        authority = identity.authority.publicKey
        self.credentials = credentials
        self.clock = clock
    }

    /// The contents of a certificate; nil when it is rejected.
    func accepted(_ certificate: NIOSSLCertificate) -> ClientCertificate? {
        guard let bytes = try? certificate.toDERBytes(), let parsed = try? Certificate(derEncoded: bytes),
            authority.isValidSignature(parsed.signature, for: parsed)
        else { return nil }
        let facts = ClientCertificate(parsed)
        guard facts.isValid(at: clock.seconds), !credentials.isRevoked(serial: facts.serial) else { return nil }
        return facts
    }

    /// The verification callback for swift-nio-ssl.
    func verify(_ chain: [NIOSSLCertificate], _ promise: EventLoopPromise<NIOSSLVerificationResult>) {
        promise.succeed(chain.first.flatMap(accepted) == nil ? .failed : .certificateVerified)
    }
}
