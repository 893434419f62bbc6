internal import Crypto
internal import DeviceRegistry

/// Finds out who asks.
///
/// Source: leancloud.md section 1.1.
struct Credentials: Sendable {
    private let applicationID: String
    private let masterKey: ServerKey
    private let applicationKey: ServerKey?

    init(_ configuration: PushServerConfiguration) {
        applicationID = configuration.applicationID
        masterKey = configuration.masterKey
        applicationKey = configuration.applicationKey
    }

    /// The right that a request's headers prove; `header` yields a header's value.
    ///
    /// - Throws: ``APIError`` with code 401 when they prove none.
    func access(_ header: (String) -> String?) throws(APIError) -> Access {
        func first(_ suffix: String, _ legacy: String) -> String? {
            header("X-LC-" + suffix) ?? header("X-AVOSCloud-" + legacy) ?? header("X-Uluru-" + legacy)
        }
        guard let id = first("Id", "Application-Id"), isSame(id, applicationID) else { throw APIError.unauthorized }
        if let sign = first("Sign", "Request-Sign") { return try access(signed: sign) }
        if let key = first("Key", "Application-Key") { return try access(key: key) }
        if let key = header("X-AVOSCloud-Master-Key") ?? header("X-Uluru-Master-Key"), isSame(key, masterKey.revealed) {
            return .master
        }
        throw APIError.unauthorized
    }

    private func access(key header: String) throws(APIError) -> Access {
        let suffix = ",master"
        if header.hasSuffix(suffix) {
            guard isSame(String(header.dropLast(suffix.count)), masterKey.revealed) else { throw APIError.unauthorized }
            return .master
        }
        guard let applicationKey, isSame(header, applicationKey.revealed) else { throw APIError.unauthorized }
        return .client
    }

    /// `<md5 of timestamp and key>,<timestamp>[,master]`.
    private func access(signed header: String) throws(APIError) -> Access {
        let parts = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let isMaster = parts.count == 3 && parts[2] == "master"
        guard parts.count == 2 || isMaster, (1...16).contains(parts[1].utf8.count), UInt64(parts[1]) != nil,
            let key = isMaster ? masterKey : applicationKey
        else { throw APIError.unauthorized }
        let digest = Insecure.MD5.hash(data: Array((parts[1] + key.revealed).utf8))
        let digits = Array("0123456789abcdef".utf8)
        let hex = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        guard isSame(parts[0], String(decoding: hex, as: UTF8.self)) else { throw APIError.unauthorized }
        return isMaster ? .master : .client
    }

    /// Whether a text is the master key.
    func isMasterKey(_ text: String) -> Bool { isSame(text, masterKey.revealed) }

    /// Compares in a time that does not depend on where two texts differ.
    func isSame(_ left: String, _ right: String) -> Bool {
        let pairs = zip(SHA256.hash(data: Array(left.utf8)), SHA256.hash(data: Array(right.utf8)))
        return pairs.reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }
}
