internal import Base

/// A documented code with which an Android vendor's service refuses a push.
///
/// Only codes that say that nothing was sent are among them; every other answer proves nothing. Names in capital letters
/// are ours, for what a list in an answer says of a device.
/// Source: docs/background/android.md#vendors-answers.
package struct VendorReason: Hashable, Sendable {
    package let vendor: PushVendor
    /// The vendor's code.
    package let code: String

    /// The reason of a code; nil for one that proves nothing.
    package init?(_ vendor: PushVendor, _ code: String) {
        guard Self.rows[vendor]?[code] != nil else { return nil }
        (self.vendor, self.code) = (vendor, code)
    }

    init?(word: String) {
        guard let colon = word.firstIndex(of: ":"), let vendor = PushVendor(rawValue: String(word[..<colon])) else {
            return nil
        }
        self.init(vendor, String(word[word.index(after: colon)...]))
    }

    /// The vendor and its code, such as `hms:80300007`.
    package var word: String { "\(vendor.rawValue):\(code)" }

    /// The action to take.
    package var row: ReasonRow {
        Self.rows[vendor]?[code] ?? ReasonRow(0, .refuseToken, "the service refuses it")
    }

    /// The device's address is no good, as a list in an answer says.
    package static let deadAddress = "DEAD"
    /// The device cannot get it now, and its address may be good.
    package static let notServed = "NOT_SERVED"
    /// A text is longer than the vendor takes, with the device's values; nothing was sent.
    package static let tooLong = "TOO_LONG"

    private static let shared: [String: ReasonRow] = [
        deadAddress: ReasonRow(200, .dropTokenIfEnvironmentIsRight, "the service does not know the device any more"),
        notServed: ReasonRow(200, .refuseToken, "the service did not push to the device"),
        tooLong: ReasonRow(200, .refuseToken, "with the device's values a text is longer than the service takes"),
    ]

    private static let rows: [PushVendor: [String: ReasonRow]] = [
        .hms: huawei, .harmony: huawei.merging(harmony) { $1 }, .honor: honor, .mi: xiaomi, .miGlobal: xiaomi,
        .oppo: oppo, .vivo: vivo,
    ].mapValues { $0.merging(shared) { own, _ in own } }

    private static let content = ReasonDecision.giveUp(.payload)
    private static let account = ReasonDecision.giveUp(.credential)
    private static let later = ReasonDecision.wait(.tooManyRequests)

    private static let huawei: [String: ReasonRow] = [
        "80300007": ReasonRow(200, .dropTokenIfEnvironmentIsRight, "no device of the call is known; check the app id"),
        "80100001": ReasonRow(200, content, "Huawei rejects a parameter"),
        "80100002": ReasonRow(200, content, "Huawei takes this message for one device in a call"),
        "80100003": ReasonRow(200, content, "Huawei rejects the message's structure"),
        "80100004": ReasonRow(200, content, "the message has expired"),
        "80100013": ReasonRow(200, content, "Huawei rejects the collapse key"),
        "80100016": ReasonRow(200, content, "Huawei finds the text sensitive"),
        "80100017": ReasonRow(200, later, "too many tasks at once; they are made later"),
        "80100018": ReasonRow(200, account, "Huawei misses the review of the app"),
        "80200001": ReasonRow(200, .renew, "the access token is not accepted; check appId and clientSecret"),
        "80200003": ReasonRow(200, .renew, "the access token has expired and is renewed"),
        "80300002": ReasonRow(200, account, "the app may not push to these devices; check the app's rights"),
        "80300008": ReasonRow(200, content, "the message is larger than 4,096 bytes"),
        "80300010": ReasonRow(200, content, "too many devices in one call; report it as a bug of bugle"),
        "80300011": ReasonRow(200, account, "the app may not send with high priority"),
        "80300013": ReasonRow(200, account, "the address for receipts is wrong"),
        "HTTP 400": ReasonRow(400, content, "Huawei rejects the request"),
        "HTTP 401": ReasonRow(401, .renew, "the access token is not accepted"),
        "HTTP 404": ReasonRow(404, account, "Huawei does not know the app; check appId"),
        "HTTP 503": ReasonRow(503, later, "too many calls a second; they are made later"),
    ]

    private static let harmony: [String: ReasonRow] = [
        "80100022": ReasonRow(200, content, "Huawei has not checked the image"),
        "80200005": ReasonRow(200, .renew, "the token has expired and is signed anew"),
        "80300029": ReasonRow(200, later, "too many test messages; they are made later"),
        "80300030": ReasonRow(200, content, "a test message is for at most 10 devices"),
        "80300036": ReasonRow(200, account, "the token is signed for more than a day"),
        "80300037": ReasonRow(200, account, "Huawei has barred the app for a while"),
    ]

    private static let honor: [String: ReasonRow] = [
        "HTTP 400": ReasonRow(400, content, "Honor rejects the message"),
        "HTTP 401": ReasonRow(401, .renew, "the access token is not accepted"),
    ]

    private static let xiaomi: [String: ReasonRow] = [
        "21301": ReasonRow(200, account, "the AppSecret is not accepted"),
        "21302": ReasonRow(200, account, "the app is not allowed to push"),
        "22000": ReasonRow(200, account, "Xiaomi does not know the app"),
        "22006": ReasonRow(200, account, "the app's id is wrong"),
        "22007": ReasonRow(200, account, "the app's key is wrong"),
        "22022": ReasonRow(200, account, "the package does not fit the AppSecret"),
        "27001": ReasonRow(200, account, "the channel is not one of the app's"),
        "26006": ReasonRow(200, account, "the app is not reviewed"),
        "10031": ReasonRow(200, account, "the app is on a list of blocked ones"),
        "10036": ReasonRow(200, account, "the call is forbidden"),
        "10008": ReasonRow(200, content, "a parameter is wrong"),
        "10012": ReasonRow(200, content, "a parameter is not valid"),
        "10016": ReasonRow(200, content, "a parameter is missing"),
        "10017": ReasonRow(200, content, "a parameter has no valid value"),
        "21305": ReasonRow(200, content, "a parameter is missing"),
        "65009": ReasonRow(200, content, "a text is too long"),
        "65014": ReasonRow(200, content, "there are too many extra fields"),
        "65015": ReasonRow(200, content, "an extra field is too long"),
        "65029": ReasonRow(200, content, "a parameter is wrong"),
        "65030": ReasonRow(200, content, "a parameter is wrong"),
        "65036": ReasonRow(200, content, "the callback is wrong"),
        "65037": ReasonRow(200, content, "the callback is wrong"),
        "65038": ReasonRow(200, content, "the callback is wrong"),
        "10029": ReasonRow(200, .dropTokenIfEnvironmentIsRight, "Xiaomi does not know the device"),
        "65003": ReasonRow(200, .dropTokenIfEnvironmentIsRight, "Xiaomi does not know the device"),
        "10027": ReasonRow(200, later, "too many calls; they are made later"),
        "21303": ReasonRow(200, later, "too many calls; they are made later"),
        "200002": ReasonRow(200, later, "too many calls a second; they are made later"),
        "10034": ReasonRow(200, .stopUntil(hour: 0), "the app's messages for today are used up"),
        "200001": ReasonRow(200, .stopUntil(hour: 0), "the app's messages for today are used up"),
    ]

    private static let oppo: [String: ReasonRow] = [
        "10000": ReasonRow(200, .dropTokenIfEnvironmentIsRight, "OPPO does not know the device"),
        "-2": ReasonRow(200, later, "too many calls; they are made later"),
        "13": ReasonRow(200, later, "too many calls; they are made later"),
        "55": ReasonRow(200, later, "too many calls; they are made later"),
        "33": ReasonRow(200, .stopUntil(hour: 0), "the app's messages for today are used up"),
        "11": ReasonRow(200, .renew, "the auth token is not accepted and is renewed"),
        "29": ReasonRow(200, .renew, "the auth token is missing"),
        "14": ReasonRow(200, account, "the app key is wrong"), "15": ReasonRow(200, account, "the app key is missing"),
        "16": ReasonRow(200, account, "the signature is wrong; it takes the MasterSecret, not the AppSecret"),
        "17": ReasonRow(200, account, "the signature is missing"),
        "18": ReasonRow(200, account, "the time is wrong; set this machine's clock"),
        "19": ReasonRow(200, account, "the time is missing"),
        "26": ReasonRow(200, account, "the address is not allowed"),
        "27": ReasonRow(200, account, "the app may not do it"), "28": ReasonRow(200, account, "the app is disabled"),
        "30": ReasonRow(200, account, "the app may not push"),
        "12": ReasonRow(200, content, "OPPO rejects the call"), "31": ReasonRow(200, content, "a parameter is wrong"),
        "34": ReasonRow(200, content, "OPPO rejects the message"),
        "40": ReasonRow(200, content, "a parameter is missing"),
        "41": ReasonRow(200, content, "a parameter is wrong"),
        "51": ReasonRow(200, content, "OPPO rejects the message"),
        "59": ReasonRow(200, content, "the channel is wrong"),
        "67": ReasonRow(200, content, "category and notifyLevel do not go together"),
    ].merging((20...25).map { ("\($0)", ReasonRow(200, content, "OPPO rejects the call")) }) { own, _ in own }

    private static let vivo: [String: ReasonRow] = [
        "10302": ReasonRow(200, .dropTokenIfEnvironmentIsRight, "vivo does not know the device"),
        "10000": ReasonRow(200, .renew, "the auth token is not accepted and is renewed"),
        "10072": ReasonRow(200, later, "too many calls; they are made later"),
        "10070": ReasonRow(200, .stopUntil(hour: 0), "the app's operational messages for today are used up"),
        "10071": ReasonRow(200, .stopUntil(hour: 7), "vivo delivers operational messages from 7:00 to 23:00 only"),
        "10073": ReasonRow(200, .stopUntil(hour: 0), "the app's system messages for today are used up"),
        "10252": ReasonRow(200, .stopUntil(hour: 0), "the app's messages for today are used up"),
        "10254": ReasonRow(200, .stopUntil(hour: 0), "the app's messages for today are used up"),
        "10085": ReasonRow(200, content, "vivo rejects the text"),
        "10104": ReasonRow(200, content, "vivo rejects the text"),
        "10094": ReasonRow(200, account, "appId does not fit the other keys"),
        "10096": ReasonRow(200, content, "category is not valid"),
        "10097": ReasonRow(200, content, "category does not fit classification"),
        "10200": ReasonRow(200, account, "appId is missing"), "10201": ReasonRow(200, account, "appKey is missing"),
    ]
}
