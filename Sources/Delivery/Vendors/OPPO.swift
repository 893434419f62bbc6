internal import Base
internal import Crypto
internal import HTTP
internal import Push

/// OPPO Push, also for realme and OnePlus.
///
/// Source: docs/background/android.md#oppo.
struct OPPOService: VendorService {
    let appKey: String
    let masterSecret: Secret

    let vendor = PushVendor.oppo

    /// What a message may live: at most ten days.
    private static let life: ClosedRange<Int64> = 1...864_000
    /// The most characters of a text in the standard style.
    static let standardText = 50

    func token(_ ask: VendorAsker) async throws(SenderError) -> AccessToken? {
        let time = "\(ask.now().milliseconds)"
        let sign = SHA256.hash(data: Array((appKey + time + masterSecret.revealedText).utf8)).hexadecimal
        let json = try await ask.json(
            .oppo, "/server/v1/auth", type: VendorAsker.form,
            body: VendorAsker.form([("app_key", appKey), ("sign", sign), ("timestamp", time)]))
        // It is said to live for 24 hours.
        guard json["code"]?.integer == 0, let token = AccessToken(json["data"]?["auth_token"], seconds: 86_400) else {
            let code = json["code"]?.integer.map { "\($0)" } ?? ""
            let why = VendorReason(.oppo, code)?.row.explanation ?? Refusal.printable(json["message"]?.string ?? "")
            throw SenderError("OPPO gives no auth token: \(code) \(why)", isTransient: !refusesCredential(code))
        }
        return token
    }

    func send(_ call: VendorCall, bearing token: Secret?, _ ask: VendorAsker) async -> [Verdict] {
        var notification = call.message
        // The same id reaches a device once, however often it is sent.
        notification["app_message_id"] = .string(call.id)
        if let seconds = call.seconds(Self.life), notification["off_line_ttl"] == nil {
            notification["off_line_ttl"] = .integer(seconds)
        }
        // It may have grown with the device's values, or be another under the vendor's name.
        if notification["style"] == 1, (notification["content"]?.string?.count ?? 0) > Self.standardText {
            notification["style"] = 2
        }
        if let data = notification["action_parameters"], data.string == nil {
            notification["action_parameters"] = .string(data.canonicalText)
        }
        var body = VendorAsker.form([("auth_token", token?.revealedText ?? ""), ("messages", "")])
        Self.write(notification, to: call.addresses, into: &body)
        let answer = await ask.ask(
            .oppo, "/server/v1/message/notification/unicast_batch", type: VendorAsker.form, body: body,
            while: call.isOpen)
        return verdicts(answer, call)
    }

    /// Writes the messages of a call as a form has them: one for each device, the same but for its address, so that the
    /// notification is encoded once.
    private static func write(_ notification: JSONValue, to addresses: [String], into body: inout [UInt8]) {
        let device = "{\"notification\":\(notification.canonicalText),\"target_type\":2,\"target_value\":"
        let (first, next) = (Array(("[" + device).percentEncoded.utf8), Array(("}," + device).percentEncoded.utf8))
        for (place, address) in addresses.enumerated() {
            body += place == 0 ? first : next
            body += JSONValue.string(address).canonicalText.percentEncoded.utf8
        }
        body += "}]".percentEncoded.utf8
    }

    func verdicts(_ answer: HTTPResponse, _ call: VendorCall) -> [Verdict] {
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body), let code = json["code"]?.integer
        else { return all(call, .unknown("OPPO answered \(answer.status) without a code")) }
        guard code == 0 else { return all(call, code: "\(code)", json["message"]?.string ?? "") }
        var said: [String: [JSONValue]] = [:]
        for item in json["data"]?.array ?? [] { said[item["registrationId"]?.string ?? "", default: []].append(item) }
        return call.addresses.map { address in
            guard let items = said[address], items.count == 1 else {
                return .unknown("OPPO says nothing clear of the device")
            }
            switch items[0]["errorCode"] {
            case nil, .null?, .integer(0)?: return .accepted
            case .integer(let code)?: return verdict("\(code)", items[0]["errorMessage"]?.string ?? "")
            case .some: return .unknown("OPPO's code for the device cannot be read")
            }
        }
    }
}
