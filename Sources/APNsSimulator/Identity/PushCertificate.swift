internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// A push client certificate in Apple's format, with its key.
package struct PushCertificate: Sendable {
    /// The certificate.
    package let certificatePEM: String
    /// The private key; secret.
    package let keyPEM: String
    /// The serial number by which ``APNsSimulator/revoke(certificate:)`` revokes it.
    package let serial: String

    /// The contents of a push certificate.
    package struct Contents: Sendable {
        /// The bundle id of the app.
        package var bundle: String
        /// The suffixes of further topics beside the bundle id, each with Apple's name for its kind.
        package var suffixes: [String: String] = [".voip": "voip", ".complication": "complication"]
        /// The environments the certificate is valid in.
        package var environments: Set<SimulatedEnvironment> = [.development, .production]
        /// The start of its validity, in seconds of UNIX time; nil for a day ago.
        package var notBefore: Int64?
        /// The end of its validity, in seconds of UNIX time; nil for a year from now.
        package var notAfter: Int64?

        /// Creates the contents for an app, valid for a year.
        package init(bundle: String) { self.bundle = bundle }
    }
}

extension SimulatorIdentity {
    /// Issues a push certificate that the simulator accepts.
    ///
    /// - Throws: swift-certificates' error when the certificate cannot be created.
    package func pushCertificate(_ contents: PushCertificate.Contents) throws -> PushCertificate {
        let key = P256.Signing.PrivateKey()
        let now = Int64(Date().timeIntervalSince1970)
        let span = (contents.notBefore ?? now - 86_400)...(contents.notAfter ?? now + 365 * 86_400)
        let subject = try DistinguishedName([
            .init(type: AppleOID.userID, utf8String: contents.bundle),
            .init(type: .RDNAttributeType.commonName, utf8String: "Apple Push Services: " + contents.bundle),
        ])
        var extensions: [Certificate.Extension] = []
        let null: ArraySlice<UInt8> = [0x05, 0x00]
        if contents.environments.contains(.development) {
            extensions.append(.init(oid: AppleOID.development, critical: false, value: null))
        }
        if contents.environments.contains(.production) {
            extensions.append(.init(oid: AppleOID.production, critical: false, value: null))
        }
        let topics = try Self.topicList(contents)
        extensions.append(.init(oid: AppleOID.topics, critical: false, value: topics[...]))
        extensions.append(try .init(ExtendedKeyUsage([.clientAuth]), critical: false))
        let certificate = try issue(subject, key.publicKey, span, extensions)
        return PushCertificate(
            certificatePEM: try certificate.serializeAsPEM().pemString + "\n", keyPEM: key.pemRepresentation + "\n",
            serial: certificate.serialNumber.description)
    }

    /// The value of extension 6.3.6: each topic, followed by the list of its kinds.
    private static func topicList(_ contents: PushCertificate.Contents) throws -> [UInt8] {
        var serializer = DER.Serializer()
        let suffixes = contents.suffixes.sorted { $0.key < $1.key }
        try serializer.appendConstructedNode(identifier: .sequence) { list in
            for (topic, kind) in [(contents.bundle, "app")] + suffixes.map({ (contents.bundle + $0.key, $0.value) }) {
                try list.serialize(ASN1UTF8String(topic))
                try list.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1UTF8String(kind)) }
            }
        }
        return serializer.serializedBytes
    }
}
