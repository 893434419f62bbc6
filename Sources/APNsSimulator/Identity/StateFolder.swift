internal import Base
internal import FoundationEssentials

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
