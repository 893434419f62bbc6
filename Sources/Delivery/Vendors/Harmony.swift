internal import Base
internal import CryptoExtras
internal import HTTP
internal import Push

/// Huawei Push Kit for HarmonyOS NEXT.
///
/// Source: docs/background/android.md#harmonyos-next.
struct HarmonyService: VendorService {
    let account: HuaweiAccount

    let vendor = PushVendor.harmony

    /// What a message may live: at most 15 days.
    private static let life: ClosedRange<Int64> = 1...1_296_000

    /// It signs its own tokens and asks nobody.
    func token(_ ask: VendorAsker) async throws(SenderError) -> AccessToken? {
        do throws(CredentialError) {
            let text = try account.token(issuedAt: ask.now().seconds)
            return AccessToken(.string(text.revealedText), seconds: HuaweiAccount.life)
        } catch {
            throw SenderError(error.description)
        }
    }

    func send(_ call: VendorCall, bearing token: Secret?, _ ask: VendorAsker) async -> [Verdict] {
        var body = Self.prepared(call.message, ttl: call.seconds(Self.life))
        body["target"] = ["token": .array(call.addresses.map { .string($0) })]
        let answer = await ask.ask(
            .harmony, "/v3/\(account.project)/messages:send",
            headers: [("Authorization", "Bearer \(token?.revealedText ?? "")"), ("push-type", "0")],
            type: VendorAsker.json, body: body.canonicalBytes, while: call.isOpen)
        return verdicts(answer, call)
    }

    /// A message as it is sent, but for its devices.
    static func prepared(_ made: JSONValue, ttl: Int64?) -> JSONValue {
        var body = made
        var options = body["pushOptions"] ?? [:]
        if options["ttl"] == nil { options["ttl"] = ttl.map { .integer($0) } }
        if options != [:] { body["pushOptions"] = options }
        return body
    }

    func verdicts(_ answer: HTTPResponse, _ call: VendorCall) -> [Verdict] {
        guard let answer = HuaweiAnswer(answer) else { return all(call, verdict("HTTP \(answer.status)")) }
        switch answer.code {
        case "80000000": return all(call, .accepted)
        case "80100000", "80300007":
            // The devices that did not get it, by reason.
            let groups = answer.details?["illegalTokens"]?.object ?? [:]
            var (reasons, isClear): ([String: String], Bool) = ([:], true)
            for (reason, tokens) in groups {
                let devices = listed(tokens, of: call)
                if devices == nil { isClear = false }
                for device in devices ?? [] { reasons[device] = reason }
            }
            let isAll = answer.code == "80300007"
            guard isClear, !reasons.isEmpty else {
                return isAll
                    ? all(call, verdict(VendorReason.notServed))
                    : all(call, .unknown("Huawei accepted some devices without saying which"))
            }
            return call.addresses.map { address in
                switch reasons[address] {
                case nil: isAll ? verdict(VendorReason.notServed) : .accepted
                // The other reasons may be the app's or the project's fault.
                case "tokenFormatError": verdict(VendorReason.deadAddress)
                case .some: verdict(VendorReason.notServed)
                }
            }
        default: return all(call, verdict(answer.code, answer.message))
        }
    }
}

/// A service account of Huawei, which signs the tokens for HarmonyOS itself.
struct HuaweiAccount: Sendable, Hashable {
    /// The id of the project whose devices it pushes to.
    let project: String

    private let keyID: String
    private let name: String
    private let key: AccountKey

    private static let audience = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"
    /// The life of a token; more than a day is refused.
    static let life: Int64 = 3600

    /// Reads Huawei's JSON.
    ///
    /// - Throws: `huaweiAccountDamaged` when it is not the key of a service account, `keyDamaged` when its key cannot be
    ///   used.
    static func read(_ bytes: [UInt8]) throws(CredentialError) -> HuaweiAccount {
        guard let file = AccountFile(bytes), let project = file["project_id"],
            project.utf8.allSatisfy(\.isDigit), let keyID = file["key_id"],
            let name = file["sub_account"], let pem = file["private_key"]
        else { throw CredentialError(.huaweiAccountDamaged) }
        return HuaweiAccount(project: project, keyID: keyID, name: name, key: try AccountKey(pem: pem))
    }

    /// A JSON Web Token with PS256.
    ///
    /// - Throws: `libraryFailure`.
    func token(issuedAt: Int64) throws(CredentialError) -> Secret {
        let header: JSONValue = ["alg": "PS256", "kid": .string(keyID), "typ": "JWT"]
        let claims: JSONValue = [
            "aud": .string(Self.audience), "iss": .string(name), "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + Self.life),
        ]
        return try key.token(header, claims, padding: .PSS)
    }
}
