internal import Base
internal import HTTP
internal import Push

/// Honor Push. Its answers are not known for sure: only one that says so in full counts as accepted, and no code as a
/// refusal.
///
/// Source: docs/background/android.md#honor.
struct HonorService: VendorService {
    let appID: String
    let clientID: String
    let clientSecret: Secret

    let vendor = PushVendor.honor

    /// What a message may live: at most 15 days, as with Huawei.
    private static let life: ClosedRange<Int64> = 1...1_296_000

    func token(_ ask: VendorAsker) async throws(SenderError) -> AccessToken? {
        let answer = try await ask.clientToken(.honorToken, "/auth/token", id: clientID, secret: clientSecret)
        guard let token = answer.token else {
            throw SenderError("Honor gives client \(clientID) no access token: check clientId and clientSecret")
        }
        return token
    }

    func send(_ call: VendorCall, bearing token: Secret?, _ ask: VendorAsker) async -> [Verdict] {
        var body = Self.prepared(call.message, ttl: call.seconds(Self.life).map { "\($0)s" })
        body["token"] = .array(call.addresses.map { .string($0) })
        let answer = await ask.ask(
            .honor, "/api/v1/\(appID)/sendMessage",
            headers: [
                ("Authorization", "Bearer \(token?.revealedText ?? "")"), ("timestamp", "\(ask.now().milliseconds)"),
            ], type: VendorAsker.json, body: body.canonicalBytes, while: call.isOpen)
        return verdicts(answer, call)
    }

    /// A message as it is sent, but for its devices.
    static func prepared(_ made: JSONValue, ttl: String?) -> JSONValue {
        var body = made
        if let data = body["data"], data.string == nil { body["data"] = .string(data.canonicalText) }
        var android = HuaweiService.opening(body["android"] ?? [:], by: "clickAction")
        if android["ttl"] == nil { android["ttl"] = ttl.map { .string($0) } }
        body["android"] = android
        return body
    }

    func verdicts(_ answer: HTTPResponse, _ call: VendorCall) -> [Verdict] {
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body),
            json["code"]?.integer == 200, json["data"]?["sendResult"]?.bool == true
        else { return all(call, verdict("HTTP \(answer.status)")) }
        guard let dead = listed(json["data"]?["expireTokens"], of: call),
            let failed = listed(json["data"]?["failTokens"], of: call)
        else { return all(call, .unknown("Honor accepted some devices without saying which")) }
        return call.addresses.map { address in
            if dead.contains(address) { return verdict(VendorReason.deadAddress) }
            return failed.contains(address) ? verdict(VendorReason.notServed) : .accepted
        }
    }
}
