internal import Base
internal import HTTP
internal import Push

/// Huawei Push Kit for Android, EMUI and HarmonyOS up to 4.
///
/// Source: docs/background/android.md#huawei.
struct HuaweiService: VendorService {
    let appID: String
    let clientSecret: Secret

    let vendor = PushVendor.hms

    /// What a message may live: at most 15 days.
    private static let life: ClosedRange<Int64> = 1...1_296_000

    func token(_ ask: VendorAsker) async throws(SenderError) -> AccessToken? {
        let answer = try await ask.clientToken(.huaweiToken, "/oauth2/v3/token", id: appID, secret: clientSecret)
        guard let token = answer.token else {
            throw SenderError(
                "Huawei gives app \(appID) no access token \(answer.refusal): check appId and clientSecret")
        }
        return token
    }

    func send(_ call: VendorCall, bearing token: Secret?, _ ask: VendorAsker) async -> [Verdict] {
        var message = Self.prepared(call.message, ttl: call.seconds(Self.life).map { "\($0)s" })
        message["token"] = .array(call.addresses.map { .string($0) })
        // Huawei then checks the form and delivers nothing.
        let isDryRun = message[VendorMessage.dryRun] == true
        message[VendorMessage.dryRun] = nil
        let body: JSONValue = ["validate_only": .bool(isDryRun), "message": message]
        let answer = await ask.ask(
            .huawei, "/v1/\(appID)/messages:send",
            headers: [("Authorization", "Bearer \(token?.revealedText ?? "")")], type: VendorAsker.json,
            body: body.canonicalBytes, while: call.isOpen)
        return verdicts(answer, call)
    }

    /// A message as it is sent, but for its devices.
    static func prepared(_ made: JSONValue, ttl: String?) -> JSONValue {
        var message = made
        if case .object(let data)? = message["data"] { message["data"] = .string(JSONValue.object(data).canonicalText) }
        var android = message["android"] ?? [:]
        if android["ttl"] == nil { android["ttl"] = ttl.map { .string($0) } }
        message["android"] = opening(android, by: "click_action")
        return message
    }

    /// The part of a message for Android, with an intent in the place of the custom keys that its action has.
    static func opening(_ made: JSONValue, by action: String) -> JSONValue {
        guard var notification = made["notification"], var click = notification[action],
            case .object(let data)? = click["intent"]
        else { return made }
        var android = made
        click["intent"] = .string(intent(.object(data)))
        notification[action] = click
        android["notification"] = notification
        return android
    }

    /// The intent that LeanCloud's SDK opens, with the custom keys in it.
    private static func intent(_ data: JSONValue) -> String {
        "intent://cn.leancloud.push/notify_detail#Intent;scheme=lcpushscheme;S.content="
            + data.canonicalText.percentEncoded + ";launchFlags=0x10000000;end"
    }

    func verdicts(_ answer: HTTPResponse, _ call: VendorCall) -> [Verdict] {
        guard let answer = HuaweiAnswer(answer) else { return all(call, verdict("HTTP \(answer.status)")) }
        switch answer.code {
        case "80000000": return all(call, .accepted)
        case "80100000":
            guard let dead = listed(answer.details?["illegal_tokens"], of: call), !dead.isEmpty else {
                return all(call, .unknown("Huawei accepted some devices without saying which"))
            }
            return call.addresses.map { dead.contains($0) ? verdict(VendorReason.deadAddress) : .accepted }
        default: return all(call, verdict(answer.code, answer.message))
        }
    }
}

/// What Huawei answers to a message, whatever system its devices have.
struct HuaweiAnswer {
    let code: String
    let message: String

    /// The JSON within the message, which names devices.
    var details: JSONValue? { try? JSONValue(parsing: message) }

    /// Reads an answer; nil for one that is not Huawei's.
    init?(_ answer: HTTPResponse) {
        let json = try? JSONValue(parsing: answer.body)
        guard [200, 400].contains(answer.status), let code = json?["code"]?.string, !code.isEmpty else { return nil }
        (self.code, message) = (code, json?["msg"]?.string ?? "")
    }
}
