internal import FoundationEssentials
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// The contents of a push certificate (docs/background/apple/credentials.md#certificates).
struct ClientCertificate: Sendable {
    /// Bundle ids and topics with suffixes.
    let topics: [String]
    let environments: Set<SimulatedEnvironment>
    let serial: String
    private let notBefore: Date
    private let notAfter: Date

    init(_ certificate: Certificate) {
        var topics: [String] = []
        for oid in [AppleOID.topics, AppleOID.additionalTopics] {
            for topic in Self.topics(in: certificate.extensions[oid: oid]?.value) where !topics.contains(topic) {
                topics.append(topic)
            }
        }
        let attributes = certificate.subject.flatMap { Array($0) }
        for attribute in attributes where attribute.type == AppleOID.userID {
            if let uid = String(attribute.value), !topics.contains(uid) { topics.append(uid) }
        }
        self.topics = topics
        var environments: Set<SimulatedEnvironment> = []
        if certificate.extensions[oid: AppleOID.development] != nil { environments.insert(.development) }
        if certificate.extensions[oid: AppleOID.production] != nil { environments.insert(.production) }
        self.environments = environments
        serial = certificate.serialNumber.description
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
    }

    /// The default topic for a request that names none: only a certificate with a single topic has one.
    var onlyTopic: String? { topics.count == 1 ? topics[0] : nil }

    /// True if the certificate may push to a topic; location pushes need a provider token.
    func allows(topic: String) -> Bool { topics.contains(topic) && !topic.hasSuffix(PushKind.location.suffix) }

    /// True if the certificate is valid at a time, in seconds of UNIX time.
    func isValid(at seconds: Int64) -> Bool {
        let date = Date(timeIntervalSince1970: Double(seconds))
        return notBefore <= date && date <= notAfter
    }

    /// Reads the topics: each is a string, followed by a list of its kinds.
    private static func topics(in value: ArraySlice<UInt8>?) -> [String] {
        guard let value, let root = try? DER.parse(value), case .constructed(let pairs) = root.content else {
            return []
        }
        return pairs.compactMap { node in (try? ASN1UTF8String(derEncoded: node)).map { String($0) } }
    }
}

/// The object identifiers of Apple's push certificates.
enum AppleOID {
    static let development = push(1)
    static let production = push(2)
    static let additionalTopics = push(4)
    static let topics = push(6)
    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]

    private static func push(_ last: UInt) -> ASN1ObjectIdentifier { [1, 2, 840, 113_635, 100, 6, 3, last] }
}
