internal import Base
internal import HTTP
internal import Push

/// Xiaomi's MiPush.
///
/// Source: docs/background/android.md#xiaomi.
struct XiaomiService: VendorService {
    let package: String
    /// True for devices outside of China.
    let isGlobal: Bool
    let appSecret: Secret

    let vendor = PushVendor.mi

    /// What a message may live: at most ten days.
    private static let life: ClosedRange<Int64> = 1...864_000

    func token(_ ask: VendorAsker) async throws(SenderError) -> AccessToken? { nil }

    func send(_ call: VendorCall, bearing token: Secret?, _ ask: VendorAsker) async -> [Verdict] {
        var fields = [("registration_id", call.addresses.joined(separator: ",")), ("restricted_package_name", package)]
        if let seconds = call.seconds(Self.life), call.message["time_to_live"] == nil {
            fields.append(("time_to_live", "\(seconds * 1000)"))
        }
        for (name, value) in (call.message.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard name == "extra" else {
                fields.append((name, value.formText))
                continue
            }
            for (name, value) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
                fields.append(("extra.\(name)", value.formText))
            }
        }
        let answer = await ask.ask(
            .xiaomi, or: isGlobal ? "https://api.xmpush.global.xiaomi.com" : nil, "/v3/message/regid",
            headers: [("Authorization", "key=\(appSecret.revealedText)")],
            type: VendorAsker.form, body: VendorAsker.form(fields), while: call.isOpen)
        return verdicts(answer, call)
    }

    func verdicts(_ answer: HTTPResponse, _ call: VendorCall) -> [Verdict] {
        guard answer.status == 200, let json = try? JSONValue(parsing: answer.body), let code = json["code"]?.integer
        else { return all(call, .unknown("Xiaomi answered \(answer.status) without a code")) }
        guard code == 0 else { return all(call, code: "\(code)", json["reason"]?.string ?? "") }
        let list = json["data"]?["bad_regids"]
        guard list == nil || list?.isNull == true || list?.string != nil else {
            return all(call, .unknown("Xiaomi's list of bad devices cannot be read"))
        }
        let bad = Set((list?.string ?? "").split(separator: ",").map(String.init))
        guard bad.isSubset(of: call.addresses) else {
            return all(call, .unknown("Xiaomi's list of bad devices names others"))
        }
        return call.addresses.map { bad.contains($0) ? verdict(VendorReason.deadAddress) : .accepted }
    }
}

extension JSONValue {
    /// A field's value: a text as it is, everything else as JSON.
    var formText: String { string ?? canonicalText }
}
