internal import FoundationEssentials
package import Push

/// The reason a certificate or key cannot be used; its text says what to do and never contains any of the key material.
package struct CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package let code: Code
    /// For `clockWrong`: how far this machine's clock is ahead of Apple's, negative when it is behind; nil when
    /// unknown.
    package let clockAhead: Duration?

    package init(_ code: Code, clockAhead: Duration? = nil) {
        self.code = code
        self.clockAhead = clockAhead
    }

    /// One sentence without a full stop: what is wrong and what to do.
    package var description: String {
        guard code == .clockWrong, let clockAhead else { return code.explanation }
        return Self.clock(ahead: clockAhead, of: "Apple", rejecting: "provider tokens made here")
    }

    /// Says that this machine's clock is so far ahead of a service's that it accepts nothing signed here.
    static func clock(ahead: Duration, of service: String, rejecting tokens: String = "what is signed here") -> String {
        "this machine's clock is \(text(of: ahead.magnitude)) \(ahead < .zero ? "behind" : "ahead of") \(service)'s, "
            + "so \(service) rejects \(tokens); set the clock"
    }

    /// A duration as text, such as `3 h 12 min` or `6 min 30 s`.
    private static func text(of duration: Duration) -> String {
        let seconds = duration.components.seconds
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        return parts.drop { $0.0 == 0 }.prefix(2).map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    /// Everything that can be wrong with a certificate file or a key file.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// Neither PKCS#12 nor PEM (nor one DER certificate).
        case unsupportedFormat
        /// PKCS#12 or PEM, but its content is broken.
        case damaged
        case noCertificate
        /// The file contains no private key, and none was given separately.
        case noKey
        /// Several certificates, each with its own key, so the intended one is unknown.
        case severalKeys
        case keyMismatch
        /// The file is encrypted and no passphrase was given.
        case passphraseNeeded
        case wrongPassphrase
        /// The file's encryption is not supported by OpenSSL.
        case unsupportedEncryption
        /// The file uses RC2 or another old cipher, and OpenSSL's `legacy` provider is not installed.
        case legacyProviderMissing
        /// A private key that cannot be read.
        case keyDamaged
        case keyNotPEM
        /// A signing key that is PEM, but not PKCS#8.
        case keyNotPKCS8
        case keyEncrypted
        /// A signing key of another kind or curve.
        case keyNotP256
        /// Apple says that a provider token made just now has expired.
        case clockWrong
        /// A file that is not the JSON key of a Google service account.
        case accountDamaged
        /// A file that is not the JSON key of a service account of Huawei's.
        case huaweiAccountDamaged
        /// OpenSSL could not be initialised, or signing failed.
        case libraryFailure

        fileprivate var explanation: String {
            switch self {
            case .unsupportedFormat:
                "the file is neither PKCS#12 (.p12) nor PEM; export the certificate with its key from Keychain as .p12"
            case .damaged: "the certificate file is damaged or truncated; export it again"
            case .noCertificate: "there is no certificate in the file; export the certificate together with its key"
            case .noKey: "there is no private key in the file; export it together with its certificate, or give the key"
            case .severalKeys: "the file holds several certificates with keys; export only the one to use"
            case .keyMismatch:
                "the private key does not belong to the certificate; use the key it was requested with"
            case .passphraseNeeded: "the file is encrypted; give its passphrase"
            case .wrongPassphrase: "the passphrase does not open the file; give the one it was exported with"
            case .unsupportedEncryption:
                "this OpenSSL does not support the file's encryption; export it again with AES-256 or 3DES"
            case .legacyProviderMissing:
                "the file uses an old encryption; install OpenSSL's legacy provider, or export it again with AES-256"
            case .keyDamaged: "the private key is damaged or truncated; export or download it again"
            case .keyNotPEM:
                "the key is not PEM text; use the .p8 file as downloaded from Apple, with its BEGIN and END lines"
            case .keyNotPKCS8: "the key is not PKCS#8 (BEGIN PRIVATE KEY); use the .p8 file as downloaded from Apple"
            case .keyEncrypted: "the key is encrypted; use the .p8 file as downloaded from Apple, without a passphrase"
            case .keyNotP256: "the key is not an elliptic-curve key on P-256; use the .p8 file of an APNs key"
            case .clockWrong:
                "Apple says that a provider token made just now has expired, "
                    + "so this machine's clock is wrong; compare it with a time server and set it"
            case .accountDamaged:
                "this is not the key of a Google service account; make one in the Firebase console under Project settings, "
                    + "Service accounts, and use its JSON as it is"
            case .huaweiAccountDamaged:
                "this is not the key of a service account of Huawei's; make one in AppGallery Connect under API Console, "
                    + "Credentials, and use its JSON as it is"
            case .libraryFailure: "the cryptographic library failed; run the command again"
            }
        }
    }
}

/// A reason for which Apple would refuse a readable certificate.
package enum CredentialProblem: Sendable, Hashable, CustomStringConvertible {
    /// The certificate expired at this time, in seconds since 1970.
    case expired(at: Int64)
    /// The certificate is not valid before this time, in seconds since 1970.
    case notYetValid(from: Int64)
    /// The certificate does not name the topic; `found` lists the topics it names.
    case topicMissing(String, found: [String])
    /// The certificate is not for this environment; `found` lists its environments.
    case wrongEnvironment(PushEnvironment, found: [PushEnvironment])

    /// One sentence without a full stop: what is wrong and what to do.
    package var description: String {
        switch self {
        case .expired(let moment):
            "the certificate expired at \(Self.text(of: moment)); make a new one in Apple's developer account"
        case .notYetValid(let moment):
            "the certificate is not valid before \(Self.text(of: moment)); "
                + "check the clock, or use the older one until then"
        case .topicMissing(let topic, let found) where found.isEmpty:
            "the certificate names no topic, so it cannot push to \(topic); use an Apple Push Services certificate"
        case .topicMissing(let topic, let found):
            "the certificate is not for topic \(topic) but for \(found.joined(separator: ", ")); "
                + "use that app's certificate, or correct the topic"
        case .wrongEnvironment(let wanted, let found):
            "the certificate is not for \(wanted.rawValue) but for \(found.map(\.rawValue).joined(separator: ", ")); "
                + "use one for \(wanted.rawValue), or correct the environment"
        }
    }

    private static func text(of seconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}
