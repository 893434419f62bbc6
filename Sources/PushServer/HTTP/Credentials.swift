internal import Base
internal import Crypto
internal import DeviceRegistry
internal import Push

/// The credentials in a request, from its headers or from the body of a simple cross-origin request.
struct ShownCredentials: Sendable {
    var id: String?
    /// The app key, or the master key with `,master` after it.
    var key: String?
    /// The master key in its own header.
    var masterKey: String?
    /// `<md5 of timestamp and key>,<timestamp>[,master]`.
    var sign: String?

    /// Reads the headers; `header` returns a header's value.
    init(_ header: (String) -> String?) {
        func first(_ suffix: String, _ legacy: String) -> String? {
            header("X-LC-" + suffix) ?? header("X-AVOSCloud-" + legacy) ?? header("X-Uluru-" + legacy)
        }
        id = first("Id", "Application-Id")
        key = first("Key", "Application-Key")
        masterKey = header("X-AVOSCloud-Master-Key") ?? header("X-Uluru-Master-Key")
        sign = first("Sign", "Request-Sign")
    }

    var isEmpty: Bool { id == nil && key == nil && masterKey == nil && sign == nil }
}

/// Authenticates requests.
///
/// Every check runs whatever the request contains: a wrong id, a wrong key and a wrong signature take the same time and
/// get the same response.
/// Source: docs/background/leancloud/transport.md#signatures.
struct Credentials: Sendable {
    private let id: Fingerprint
    private let masterKey: Fingerprint
    private let applicationKey: Fingerprint
    private let viewerKey: Fingerprint?
    private let revealedKeys: (master: [UInt8], application: [UInt8])
    private let hasApplicationKey: Bool
    private let signatureAge: Duration?

    init(_ configuration: PushServerConfiguration) {
        id = Fingerprint(configuration.applicationID)
        masterKey = Fingerprint(configuration.masterKey.revealed)
        viewerKey = configuration.viewerKey.map { Fingerprint($0.revealed) }
        let application = configuration.applicationKey?.revealed
        hasApplicationKey = application != nil
        applicationKey = Fingerprint(application ?? "")
        revealedKeys = (Array(configuration.masterKey.revealed.utf8), Array((application ?? "").utf8))
        signatureAge = configuration.limits.signatureAge
    }

    /// The access rights granted; `now` is the time for the age of signatures.
    ///
    /// - Throws: ``APIError`` with code 401 when no rights are granted.
    func access(_ shown: ShownCredentials, at now: Instant) throws(APIError) -> Access {
        let isApp = id.isSame(shown.id ?? "")
        let suffix = ",master"
        let claimsMaster = shown.key?.hasSuffix(suffix) ?? false
        let key = claimsMaster ? String((shown.key ?? "").dropLast(suffix.count)) : shown.key ?? ""
        let isMasterKey = masterKey.isSame(key)
        let isApplicationKey = applicationKey.isSame(key)
        let isNamedMasterKey = masterKey.isSame(shown.masterKey ?? "")
        let signature = Signature(shown.sign ?? "")
        let isSignedByMaster = signature.isMade(with: revealedKeys.master)
        let isSignedByApplication = signature.isMade(with: revealedKeys.application)
        let isYoung = signatureAge.map { signature.isWithin($0, of: now) } ?? true

        // A signature replaces the key; the master key in its own header outranks an app key beside it.
        let grant: Access? =
            if shown.sign != nil {
                signature.claimsMaster
                    ? (isSignedByMaster && isYoung ? .master : nil)
                    : (isSignedByApplication && hasApplicationKey ? .client : nil)
            } else if shown.key != nil, shown.masterKey == nil || claimsMaster {
                claimsMaster
                    ? (isMasterKey ? .master : nil) : (isApplicationKey && hasApplicationKey ? .client : nil)
            } else if shown.masterKey != nil {
                isNamedMasterKey ? .master : nil
            } else {
                nil
            }
        guard isApp, let grant else { throw APIError.unauthorized }
        return grant
    }
}

extension Credentials {
    /// Returns the rights that a key gives in the console; nil for any other text.
    func role(_ key: String) -> SessionStore.Role? {
        let (isMaster, isViewer) = (masterKey.isSame(key), viewerKey?.isSame(key) ?? false)
        return isMaster ? .master : isViewer ? .viewer : nil
    }
}

/// The digest of a text, for comparison in constant time.
struct Fingerprint: Sendable {
    private let digest: SHA256.Digest

    init(_ text: String) {
        digest = SHA256.hash(data: Array(text.utf8))
    }

    /// True if a text is the same as this one.
    func isSame(_ text: String) -> Bool {
        zip(digest, SHA256.hash(data: Array(text.utf8))).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }
}

private struct Signature {
    let claimsMaster: Bool
    private let hex: String
    private let timestamp: String
    private let milliseconds: Int64?

    init(_ header: String) {
        let parts = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        claimsMaster = parts.count == 3 && parts[2] == "master"
        hex = parts[0]
        let isWellFormed =
            (parts.count == 2 || claimsMaster) && (1...16).contains(parts[1].utf8.count)
            && parts[1].utf8.allSatisfy(\.isDigit)
        timestamp = isWellFormed ? parts[1] : ""
        // Shipped clients sign with seconds or milliseconds: 100,000,000,000 is the year 5138 or 1973.
        milliseconds = Int64(timestamp).map { $0 < 100_000_000_000 ? $0 * 1000 : $0 }
    }

    /// True if the signature was made with a key; false if it is malformed.
    func isMade(with key: [UInt8]) -> Bool {
        let digest = Insecure.MD5.hash(data: Array(timestamp.utf8) + key)
        return Fingerprint(digest.hexadecimal).isSame(hex) && !timestamp.isEmpty
    }

    /// True if the signature's time is at most `age` before or after a time.
    func isWithin(_ age: Duration, of now: Instant) -> Bool {
        guard let milliseconds else { return false }
        return abs(now.milliseconds - milliseconds) <= Int64(age / .milliseconds(1))
    }
}
