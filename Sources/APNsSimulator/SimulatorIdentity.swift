internal import Base
internal import Crypto
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

/// The certificates of a simulator: its authority's and its server's.
package struct SimulatorIdentity: Sendable {
    let authority: Certificate
    private let authorityKey: P256.Signing.PrivateKey
    private let server: Certificate
    private let serverKey: P256.Signing.PrivateKey

    /// Creates an authority and a server certificate for `localhost`, 127.0.0.1 and ::1, valid for a year from now.
    ///
    /// - Throws: swift-certificates' error when they cannot be created.
    package init() throws {
        authorityKey = P256.Signing.PrivateKey()
        serverKey = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("bugle APNs simulator CA") }
        let span = Date(timeIntervalSinceNow: -86_400)...Date(timeIntervalSinceNow: 366 * 86_400)
        authority = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(authorityKey.publicKey),
            notValidBefore: span.lowerBound, notValidAfter: span.upperBound, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            },
            issuerPrivateKey: .init(authorityKey))
        server = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(serverKey.publicKey),
            notValidBefore: span.lowerBound, notValidAfter: span.upperBound, issuer: name,
            subject: try DistinguishedName { CommonName("localhost") }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                ])
            },
            issuerPrivateKey: .init(authorityKey))
    }

    /// Reads an identity from PEM texts.
    ///
    /// - Throws: the error of swift-certificates or swift-crypto for a text that is invalid.
    package init(authority: String, authorityKey: String, server: String, serverKey: String) throws {
        self.authority = try Certificate(pemEncoded: authority)
        self.authorityKey = try P256.Signing.PrivateKey(pemRepresentation: authorityKey)
        self.server = try Certificate(pemEncoded: server)
        self.serverKey = try P256.Signing.PrivateKey(pemRepresentation: serverKey)
    }

    /// The authority's certificate, for a client's `ca:` setting.
    package var authorityPEM: String { get throws { try authority.serializeAsPEM().pemString + "\n" } }
    /// The server's certificate.
    package var serverPEM: String { get throws { try server.serializeAsPEM().pemString + "\n" } }
    /// The authority's private key; secret.
    package var authorityKeyPEM: String { authorityKey.pemRepresentation + "\n" }
    /// The server's private key; secret.
    package var serverKeyPEM: String { serverKey.pemRepresentation + "\n" }
    /// The end of the server certificate's validity, in seconds of UNIX time.
    package var validUntil: Int64 { Int64(server.notValidAfter.timeIntervalSince1970) }

    /// True if this authority signed the first certificate of a PEM text.
    func isIssuer(ofPEM text: String) -> Bool {
        guard let document = try? PEMDocument.parseMultiple(pemString: text).first,
            let certificate = try? Certificate(pemDocument: document)
        else { return false }
        return authority.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    /// Issues a certificate signed with the authority's key.
    func issue(
        _ subject: DistinguishedName, _ key: P256.Signing.PublicKey, _ span: ClosedRange<Int64>,
        _ extensions: [Certificate.Extension]
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key),
            notValidBefore: Date(timeIntervalSince1970: Double(span.lowerBound)),
            notValidAfter: Date(timeIntervalSince1970: Double(span.upperBound)), issuer: authority.subject,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(extensions),
            issuerPrivateKey: .init(authorityKey))
    }
}

/// A push client certificate in Apple's format, with its key.
package struct PushCertificate: Sendable {
    package let certificatePEM: String
    /// The private key; secret.
    package let keyPEM: String
    /// The serial number by which ``APNsSimulator/revoke(certificate:)`` revokes it.
    package let serial: String

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

/// The folder that keeps a simulator's certificates and provider key across runs.
package struct StateFolder: Sendable {
    /// A file of the folder that cannot be read or written.
    package struct Failure: Error, CustomStringConvertible {
        /// The file and the problem.
        package let description: String
    }

    /// The certificates.
    package let identity: SimulatorIdentity
    /// The key that signs provider tokens.
    package let key: ProviderSigningKey
    /// The path of the authority's certificate, for a workspace's `ca:`.
    package var authorityPath: String { path + "/ca.pem" }
    /// The path of the provider key's file, for a workspace's `token:`.
    package var keyPath: String { path + "/" + Self.keyName(key.id) }

    private let path: String

    /// Reads the folder and creates what is missing.
    ///
    /// Certificates that expire within a day are reissued. Only the owner may read the keys.
    package init(_ path: String, now: Int64) throws(Failure) {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(description: "\(path) cannot be created: \(SystemError())")
        }
        identity = try Self.identity(path, now: now)
        key = try Self.key(path)
    }

    /// The path of an app's push certificate with its key, created when it is missing or from another authority.
    ///
    /// - Throws: if `bundle` is not a bundle id, or the file cannot be read or written.
    package func certificatePath(for bundle: String) throws(Failure) -> String {
        let isName = bundle.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, bundle.first?.isLetter == true else {
            throw Failure(description: "\(bundle) is not a bundle id: use letters, digits, dots and hyphens")
        }
        let file = "\(path)/\(bundle).push.pem"
        if let text = try Self.read(file), identity.isIssuer(ofPEM: text) { return file }
        let certificate: PushCertificate
        do {
            certificate = try identity.pushCertificate(.init(bundle: bundle))
        } catch {
            throw Failure(description: "\(file) cannot be created: \(error)")
        }
        try Self.write(certificate.certificatePEM + certificate.keyPEM, to: file, mode: 0o600)
        return file
    }

    /// The path of the file of a Firebase project's service account, created when it is missing.
    ///
    /// - Throws: if the file cannot be read or written, or its key cannot be used.
    package func serviceAccount(of project: String) throws(Failure) -> (path: String, project: FirebaseProject) {
        try account("\(project).service-account.json", FirebaseProject.init(account:)) {
            try FirebaseProject.make(id: project)
        }
    }

    /// The path of the file of the service account of a Huawei project with HarmonyOS NEXT, created when it is missing.
    ///
    /// - Throws: if the file cannot be read or written, or its key cannot be used.
    package func harmonyAccount(of project: String) throws(Failure) -> (path: String, project: HarmonyProject) {
        try account("\(project).harmony-account.json", HarmonyProject.init(account:)) {
            try HarmonyProject.make(id: project)
        }
    }

    /// Reads a project from the file of its account, or makes both.
    private func account<Project>(
        _ name: String, _ read: (JSONValue) throws -> Project,
        _ make: () throws -> (project: Project, account: JSONValue)
    ) throws(Failure) -> (path: String, project: Project) {
        let file = "\(path)/\(name)"
        do {
            if let text = try Self.read(file) { return (file, try read(try JSONValue(parsing: text))) }
            let made = try make()
            try Self.write(made.account.canonicalText + "\n", to: file, mode: 0o600)
            return (file, made.project)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(description: "\(file) cannot be used: \(error)")
        }
    }

    private static func identity(_ path: String, now: Int64) throws(Failure) -> SimulatorIdentity {
        let names = ["ca.pem", "ca.key", "server.pem", "server.key"].map { path + "/" + $0 }
        let contents = try names.map { name throws(Failure) in try read(name) }
        if let authority = contents[0], let authorityKey = contents[1], let server = contents[2],
            let serverKey = contents[3]
        {
            let identity: SimulatorIdentity
            do {
                identity = try SimulatorIdentity(
                    authority: authority, authorityKey: authorityKey, server: server, serverKey: serverKey)
            } catch {
                throw Failure(
                    description: "\(path): ca.pem, ca.key, server.pem and server.key cannot be used; remove "
                        + "them to have new ones created")
            }
            if identity.validUntil > now + 86_400 { return identity }
        }
        return try make(names)
    }

    private static func make(_ names: [String]) throws(Failure) -> SimulatorIdentity {
        do {
            let identity = try SimulatorIdentity()
            try write(try identity.authorityPEM, to: names[0], mode: 0o644)
            try write(identity.authorityKeyPEM, to: names[1], mode: 0o600)
            try write(try identity.serverPEM, to: names[2], mode: 0o644)
            try write(identity.serverKeyPEM, to: names[3], mode: 0o600)
            return identity
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(description: "the certificates cannot be created: \(error)")
        }
    }

    /// Reads or creates the provider key. A `.p8` file does not name the team, so a file beside it does.
    private static func key(_ path: String) throws(Failure) -> ProviderSigningKey {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let id = names.sorted().compactMap { name -> String? in
            guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8"), name.utf8.count == keyName("").utf8.count + 10
            else { return nil }
            return String(name.dropFirst(8).dropLast(3))
        }.first
        guard let id, let pem = try read(path + "/" + keyName(id)), let team = try read(path + "/team") else {
            let key = ProviderSigningKey()
            try write(key.pem, to: path + "/" + keyName(key.id), mode: 0o600)
            try write(key.team + "\n", to: path + "/team", mode: 0o644)
            return key
        }
        do {
            return try ProviderSigningKey(id: id, team: team.filter { $0.isLetter || $0.isNumber }, pem: pem)
        } catch {
            throw Failure(description: "\(path)/\(keyName(id)) is not a P-256 key; remove it to have a new one created")
        }
    }

    private static func keyName(_ id: String) -> String { "AuthKey_\(id).p8" }

    /// The text of a file; nil when there is none.
    private static func read(_ name: String) throws(Failure) -> String? {
        guard let data = FileManager.default.contents(atPath: name) else {
            guard FileManager.default.fileExists(atPath: name) else { return nil }
            throw Failure(description: "\(name) cannot be read")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Writes a file with its mode set from creation.
    private static func write(_ text: String, to name: String, mode: UInt32) throws(Failure) {
        do throws(SystemError) {
            try FileDraft.write(Array(text.utf8), to: name, mode: mode)
        } catch {
            throw Failure(description: "\(name) cannot be written: \(error)")
        }
    }
}
