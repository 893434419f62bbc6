package import Base
internal import FoundationEssentials
package import Push

/// Reads the certificates and keys of profiles.
package struct CredentialReader: Sendable {
    private let secrets: SecretReader

    /// Reads with these secrets.
    package init(_ secrets: SecretReader) { self.secrets = secrets }

    /// The reason a profile's credential cannot be used.
    package enum Failure: Error, CustomStringConvertible {
        /// A file or secret is missing, or cannot be read.
        case unavailable(SecretReader.Unavailable)
        /// The data is no certificate or key, or they do not match.
        case unusable(CredentialError)

        /// The problem, without anything secret.
        package var description: String {
            switch self {
            case .unavailable(let error): error.reason
            case .unusable(let error): error.description
            }
        }
    }

    /// The profile's certificate or key.
    ///
    /// - Throws: ``Failure``, without anything secret.
    package func credential(of profile: DeviceProfile) throws(Failure) -> PushCredential {
        switch profile.credential {
        case .certificate(let source, let key, let passphrase):
            var bytes = try bytes(source)
            if case .environment = source { bytes = Self.decodedBase64(bytes) }
            let secret = try passphrase.map { source throws(Failure) in try self.secret(source) }
            let separateKey = try key.map { source throws(Failure) in try self.bytes(source) }
            return try used(
                .certificate(try CertificateIdentity.read(bytes, passphrase: secret, separateKey: separateKey)))
        case .token(let teamId, let keyId, let key):
            let bytes = try bytes(key)
            return try used(.token(key: try SigningKey.read(bytes), teamID: teamId, keyID: keyId))
        case .vendor(let vendor, let ids, let sources):
            var secrets: [String: Secret] = [:]
            for (name, source) in sources { secrets[name] = try secret(source) }
            return try used(.vendor(try VendorCredential(vendor: vendor, ids: ids, secrets: secrets)))
        case .serviceAccount(let source):
            let bytes = try bytes(source)
            return try used(.serviceAccount(try ServiceAccount.read(bytes)))
        }
    }

    private func secret(_ source: SecretSource) throws(Failure) -> Secret {
        try found(try secrets.secret(source))
    }

    private func bytes(_ source: SecretSource) throws(Failure) -> [UInt8] {
        try found(try secrets.bytes(source))
    }

    private func found<Value>(
        _ read: @autoclosure () throws(SecretReader.Unavailable) -> Value
    ) throws(Failure) -> Value {
        do throws(SecretReader.Unavailable) {
            return try read()
        } catch {
            throw .unavailable(error)
        }
    }

    private func used(
        _ read: @autoclosure () throws(CredentialError) -> PushCredential
    ) throws(Failure) -> PushCredential {
        do throws(CredentialError) {
            return try read()
        } catch {
            throw .unusable(error)
        }
    }

    /// A certificate in a variable is base64; PEM text may stand there as it is.
    private static func decodedBase64(_ bytes: [UInt8]) -> [UInt8] {
        Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters).map { Array($0) } ?? bytes
    }
}

/// Reads secrets and references, as late as a command can.
package struct SecretReader: Sendable {
    package let environment: [String: String]
    /// The workspace's folder.
    package let folder: String

    /// The reason a secret is unavailable.
    package struct Unavailable: Error {
        /// The missing thing, without the secret.
        package let reason: String
        /// True if it is simply not here, as in a fork's CI, rather than broken.
        package let isAbsent: Bool
        /// The environment variable that is not set.
        package var variable: String?
        /// The path in the workspace where no file is.
        package var path: String?
    }

    /// Reads with an environment, relative to a folder.
    package init(environment: [String: String], folder: String) {
        self.environment = environment
        self.folder = folder
    }

    /// The secret; a line break at its end does not belong to it.
    package func secret(_ source: SecretSource) throws(Unavailable) -> Secret {
        var bytes = try bytes(source)
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        if bytes.isEmpty { throw Unavailable(reason: "\(Self.name(of: source)) is empty", isAbsent: true) }
        return Secret(bytes: bytes)
    }

    /// The bytes as they are.
    package func bytes(_ source: SecretSource) throws(Unavailable) -> [UInt8] {
        switch source {
        case .environment(let name): return Array(try variable(name).utf8)
        case .file(.path(let path)):
            return try contents(of: path.hasPrefix("/") ? path : folder + "/" + path, shownAs: path)
        case .file(.environment(let name)):
            return try contents(of: try variable(name), shownAs: "the file that \(name) names")
        }
    }

    /// A value that may be written in the file or named as a variable.
    package func text(_ reference: TextReference) throws(Unavailable) -> String {
        switch reference {
        case .literal(let text): return text
        case .environment(let name): return try variable(name)
        }
    }

    private func variable(_ name: String) throws(Unavailable) -> String {
        guard let value = environment[name], !value.isEmpty else {
            throw Unavailable(reason: "the environment variable \(name) is not set", isAbsent: true, variable: name)
        }
        return value
    }

    private func contents(of path: String, shownAs name: String) throws(Unavailable) -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Unavailable(reason: "\(name) does not exist", isAbsent: true, path: name)
        }
        let found = try? FileManager.default.attributesOfItem(atPath: Self.target(of: path))
        guard found?[.type] as? FileAttributeType == .typeRegular, (found?[.size] as? UInt64 ?? 0) <= 1 << 20,
            let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20
        else {
            throw Unavailable(reason: "\(name) cannot be read", isAbsent: false)
        }
        return Array(data)
    }

    /// The file that a chain of links leads to.
    private static func target(of path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path
    }

    /// The variable or the path that a secret comes from.
    package static func name(of source: SecretSource) -> String {
        switch source {
        case .environment(let name), .file(.environment(let name)): name
        case .file(.path(let path)): path
        }
    }
}
