internal import Base
internal import Crypto
internal import HTTP
internal import Push

/// vivo Push, also for iQOO.
///
/// Source: docs/background/android.md#vivo.
struct VivoService: VendorService {
    let appID: String
    let appKey: String
    let appSecret: Secret

    let vendor = PushVendor.vivo

    /// What a message may live: a minute to a day.
    private static let life: ClosedRange<Int64> = 60...86_400

    func token(_ ask: VendorAsker) async throws(SenderError) -> AccessToken? {
        let time = ask.now().milliseconds
        let signed = appID + appKey + "\(time)" + appSecret.revealedText
        let body: JSONValue = [
            "appId": .string(appID), "appKey": .string(appKey), "timestamp": .integer(time),
            "sign": .string(Insecure.MD5.hash(data: Array(signed.utf8)).hexadecimal),
        ]
        let json = try await ask.json(.vivo, "/message/auth", type: VendorAsker.json, body: body.canonicalBytes)
        // It is said to live for 24 hours, and to be renewed after one or two.
        guard json["result"]?.integer == 0, let token = AccessToken(json["authToken"], seconds: 7200) else {
            let code = json["result"]?.integer.map { "\($0)" } ?? ""
            throw SenderError(
                "vivo gives app \(appID) no auth token: \(code) \(Refusal.printable(json["desc"]?.string ?? ""))",
                isTransient: !refusesCredential(code))
        }
        return token
    }

    func send(_ call: VendorCall, bearing token: Secret?, _ ask: VendorAsker) async -> [Verdict] {
        var message = call.message
        if let seconds = call.seconds(Self.life), message["timeToLive"] == nil {
            message["timeToLive"] = .integer(seconds)
        }
        message["appId"] = .string(appID)
        message["requestId"] = .string(call.id)
        if case .object(let custom)? = message["clientCustomMap"] {
            message["clientCustomMap"] = .object(custom.mapValues { .string($0.formText) })
        }
        let headers = [("authToken", token?.revealedText ?? "")]
        func post(_ path: String, _ body: JSONValue) async -> Result<HTTPResponse, VendorFailure> {
            await ask.ask(
                .vivo, path, headers: headers, type: VendorAsker.json, body: body.canonicalBytes, while: call.isOpen)
        }
        if call.addresses.count == 1 {
            message["regId"] = .string(call.addresses[0])
            return verdicts(await post("/message/send", message), call)
        }
        // The first call keeps the content and sends nothing; only the second one sends.
        switch await post("/message/saveListPayload", message) {
        case .failure(let failure): return all(call, .notSent(.noBodyGiven(failure.why)))
        case .success(let answer):
            let json = try? JSONValue(parsing: answer.body)
            guard answer.status == 200, let task = json?["taskId"]?.string, json?["result"]?.integer == 0 else {
                let code = json?["result"]?.integer.map { "\($0)" } ?? "HTTP \(answer.status)"
                guard case .refused(let proof) = verdict(code) else {
                    return all(call, .notSent(.noBodyGiven("vivo did not take the message: \(code)")))
                }
                return all(call, .refused(proof))
            }
            var body: JSONValue = [
                "appId": .string(appID), "taskId": .string(task), "requestId": .string(call.id),
                "regIds": .array(call.addresses.map { .string($0) }),
            ]
            body["pushMode"] = message["pushMode"]
            guard call.isOpen() else { return all(call, .notSent(.noBodyGiven("the delivery was stopped"))) }
            return verdicts(await post("/message/pushToList", body), call)
        }
    }

    func verdicts(_ answer: HTTPResponse, _ call: VendorCall) -> [Verdict] {
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body),
            let result = json["result"]?.integer
        else { return all(call, .unknown("vivo answered \(answer.status) without a result")) }
        guard result == 0 else { return all(call, code: "\(result)", json["desc"]?.string ?? "") }
        var invalid: [String: Int64] = [:]
        let users = json["invalidUsers"].map { $0.array ?? [$0] } ?? []
        for user in users + [json["invalidUser"]].compactMap(\.self) where !user.isNull && user != [:] {
            guard let name = user["userid"]?.string, call.addresses.contains(name) else {
                return all(call, .unknown("vivo's list of invalid devices cannot be read"))
            }
            invalid[name] = user["status"]?.integer ?? 0
        }
        return call.addresses.map { address in
            switch invalid[address] {
            case nil: .accepted
            case 1: verdict(VendorReason.deadAddress)
            case .some: verdict(VendorReason.notServed)
            }
        }
    }
}
