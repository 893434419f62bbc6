package import Base
internal import Crypto
internal import CryptoExtras
internal import Synchronization

/// The app at the vendors that the simulator stands for: with every vendor the same id, key and secret.
enum SimulatedApp {
    static let id = "100001"
    static let key = "app-key"
    static let secret = "app-secret"
    static let package = "com.example.app"
}

/// A project of Huawei's with the service account that pushes to its devices with HarmonyOS NEXT.
package struct HarmonyProject: Sendable {
    /// The project's id, digits.
    package let id: String
    private let keyID: String
    private let name: String
    private let publicKey: _RSA.Signing.PublicKey

    private static let audience = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"
    /// The longest life of a token.
    private static let life: Int64 = 86_400

    /// Creates a project with a new key; returns the account's file as Huawei writes it.
    ///
    /// - Throws: swift-crypto's error when no key can be made.
    package static func make(id: String) throws -> (project: HarmonyProject, account: JSONValue) {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let account: JSONValue = [
            "project_id": .string(id), "key_id": "key-1", "sub_account": .string("account-\(id)"),
            "private_key": .string(key.pkcs8PEMRepresentation),
        ]
        return (try HarmonyProject(account: account), account)
    }

    /// Reads a project from its account's file.
    ///
    /// - Throws: swift-crypto's error when the file's key is none.
    package init(account: JSONValue) throws {
        func text(_ name: String) -> String { account[name]?.string ?? "" }
        (id, keyID, name) = (text("project_id"), text("key_id"), text("sub_account"))
        publicKey = try _RSA.Signing.PrivateKey(pemRepresentation: text("private_key")).publicKey
    }

    /// The code with which Huawei refuses a token at a time, in seconds of UNIX time; nil for a good one.
    func fault(of token: Substring, at now: Int64) -> String? {
        guard let token = WebToken(token), token.header["alg"] == "PS256", token.header["kid"]?.string == keyID,
            token.claims["iss"]?.string == name, token.claims["aud"]?.string == Self.audience,
            let issued = token.claims["iat"]?.integer, let end = token.claims["exp"]?.integer, issued < now + 300,
            token.isSigned(by: publicKey, padding: .PSS)
        else { return "80200001" }
        guard end > now else { return "80200005" }
        return issued < end - Self.life ? "80300036" : nil
    }
}

/// What vendors remember: the access tokens that they gave, HarmonyOS's projects, contents, and how much is left today.
final class VendorBook: Sendable {
    private struct State {
        var tokens: [String: Int64] = [:]
        var given = 0
        var projects: [String: HarmonyProject] = [:]
        /// The contents that vivo keeps, by their tasks.
        var contents: [String: JSONValue] = [:]
        /// The devices that the app may still send to today, by vendor; the day ends when another number is set.
        var quotas: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// Gives a token until a time, in seconds of UNIX time.
    func give(until end: Int64) -> String {
        state.withLock { state in
            state.given += 1
            let token = "vendor-\(state.given)-\(APNsUUID.make())"
            state.tokens[token] = end
            return token
        }
    }

    func isGood(_ token: String?, at now: Int64) -> Bool {
        state.withLock { state in token.flatMap { state.tokens[$0] }.map { $0 > now } ?? false }
    }

    func expire() { state.withLock { $0.tokens = [:] } }

    func register(_ project: HarmonyProject) { state.withLock { $0.projects[project.id] = project } }

    func project(_ id: String) -> HarmonyProject? { state.withLock { $0.projects[id] } }

    func keep(_ content: JSONValue) -> String {
        state.withLock { state in
            let task = "task-\(state.contents.count)"
            state.contents[task] = content
            return task
        }
    }

    func content(of task: String) -> JSONValue? { state.withLock { $0.contents[task] } }

    /// Lets a vendor take so many devices today.
    func allow(_ devices: Int, of vendor: String) { state.withLock { $0.quotas[vendor] = devices } }

    /// Counts a call for some devices; false when today's quota does not suffice for all of them.
    func takes(_ devices: Int, of vendor: String) -> Bool {
        state.withLock { state in
            guard let left = state.quotas[vendor] else { return true }
            guard devices <= left else { return false }
            state.quotas[vendor] = left - devices
            return true
        }
    }
}

enum VendorPath: Equatable {
    case huaweiToken
    case huawei(String)
    case harmony(String)
    case honorToken
    case honor(String)
    case xiaomi
    case oppoToken
    case oppo
    case vivoToken
    case vivoOne
    case vivoContent
    case vivoMany

    /// The vendors, by their names in installations.
    static let vendors = ["hms", "harmony", "honor", "mi", "oppo", "vivo"]
    /// The code that says that today's messages are used up.
    static let usedUp = ["mi": "200001", "oppo": "33", "vivo": "10070"]

    init?(_ parts: [Substring]) {
        switch parts {
        case ["oauth2", "v3", "token"]: self = .huaweiToken
        case let parts where parts.count == 3 && parts[0] == "v1" && parts[2] == "messages:send":
            self = .huawei(String(parts[1]))
        case let parts where parts.count == 3 && parts[0] == "v3" && parts[2] == "messages:send":
            self = .harmony(String(parts[1]))
        case ["auth", "token"]: self = .honorToken
        case let parts where parts.count == 4 && parts[..<2] == ["api", "v1"] && parts[3] == "sendMessage":
            self = .honor(String(parts[2]))
        case ["v3", "message", "regid"]: self = .xiaomi
        case ["server", "v1", "auth"]: self = .oppoToken
        case ["server", "v1", "message", "notification", "unicast_batch"]: self = .oppo
        case ["message", "auth"]: self = .vivoToken
        case ["message", "send"]: self = .vivoOne
        case ["message", "saveListPayload"]: self = .vivoContent
        case ["message", "pushToList"]: self = .vivoMany
        case _: return nil
        }
    }

    /// The vendor's name.
    var vendor: String {
        switch self {
        case .huaweiToken, .huawei: "hms"
        case .harmony: "harmony"
        case .honorToken, .honor: "honor"
        case .xiaomi: "mi"
        case .oppoToken, .oppo: "oppo"
        case .vivoToken, .vivoOne, .vivoContent, .vivoMany: "vivo"
        }
    }

    /// True for a path whose requests send nothing.
    var sendsNothing: Bool {
        switch self {
        case .huaweiToken, .honorToken, .oppoToken, .vivoToken, .vivoContent: true
        case .huawei, .harmony, .honor, .xiaomi, .oppo, .vivoOne, .vivoMany: false
        }
    }
}

extension DeviceToken {
    /// The device of a vendor's registration id.
    init(vendor: String, _ id: String) { self.init(hashing: Array("\(vendor):\(id)".utf8)) }
}
