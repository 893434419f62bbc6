internal import Base
internal import DeviceRegistry
internal import HTTP
internal import Push

/// One call to a vendor's service: a message for some devices.
struct VendorCall: Sendable {
    /// The message as the vendor's encoder made it, with this delivery's values in its texts.
    let message: JSONValue
    /// The devices' registration ids, none of them twice.
    let addresses: [String]
    /// What is left of the message's life; nil: as long as the vendor keeps it.
    let life: Duration?
    /// The same for each attempt at these devices: letters and digits.
    let id: String

    /// Seconds of life within the vendor's limits.
    func seconds(_ limits: ClosedRange<Int64>) -> Int64? {
        life.map { min(max($0.wholeSeconds, limits.lowerBound), limits.upperBound) }
    }
}

/// The service of an Android vendor that takes many devices in a call.
protocol VendorService: Sendable {
    var vendor: PushVendor { get }
    /// Asks for an access token; nil where none is needed.
    func token(_ ask: VendorAsker) async throws(SenderError) -> AccessToken?
    /// Makes the call; returns the verdict on each device, in their order.
    func send(_ call: VendorCall, bearing token: Secret?, _ ask: VendorAsker) async -> [Verdict]
}

/// Makes the requests of vendors' services.
struct VendorAsker: Sendable {
    let http: any HTTPExchanging
    /// The address that replaces a service's own, by the names of `hosts`.
    let hosts: [String: String]
    let timeout: Duration
    let now: @Sendable () -> Instant

    /// The answer to a request, which is made once; or what its failure proves.
    func ask(
        _ host: String, or address: String, _ path: String, headers: [(String, String)] = [], type: String,
        body: [UInt8]
    ) async -> Result<HTTPResponse, VendorFailure> {
        let all = [("Content-Type", type)] + headers
        do throws(TransportError) {
            return .success(
                try await http.exchange(
                    HTTPRequest(
                        .post, (hosts[host] ?? address) + path, headers: all, body: body, timeout: timeout,
                        repetition: .once)))
        } catch {
            return .failure(VendorFailure(error.brief, wasSent: error.sent != .nothing))
        }
    }

    /// The JSON of an answer to a request for a token, or for anything else that sends nothing.
    func json(
        _ host: String, or address: String, _ path: String, headers: [(String, String)] = [], type: String,
        body: [UInt8]
    ) async throws(SenderError) -> JSONValue {
        switch await ask(host, or: address, path, headers: headers, type: type, body: body) {
        case .failure(let failure): throw SenderError("no access token: \(failure.why)")
        case .success(let answer):
            if let date = answer.headers["date"].flatMap({ Instant(httpDate: $0) }),
                (now() - date).magnitude > ProviderTokenSource.tolerance, answer.status != 200
            {
                throw SenderError(CredentialError.clock(ahead: now() - date, of: "the service"))
            }
            guard let json = try? JSONValue(parsing: answer.body) else {
                throw SenderError("no access token: it answered \(answer.status) without JSON")
            }
            return json
        }
    }

    static let form = "application/x-www-form-urlencoded;charset=UTF-8"
    static let json = "application/json; charset=UTF-8"

    /// The body of a form.
    static func form(_ fields: [(String, String)]) -> [UInt8] {
        Array(fields.map { $0.0.formEncoded + "=" + $0.1.formEncoded }.joined(separator: "&").utf8)
    }
}

/// The reason there is no answer.
struct VendorFailure: Error, Hashable {
    let why: String
    /// True if the request may have been acted on.
    let wasSent: Bool

    init(_ why: String, wasSent: Bool) { (self.why, self.wasSent) = (why, wasSent) }

    var verdict: Verdict { wasSent ? .unknown(why) : .notSent(.noBodyGiven(why)) }
}

extension String {
    /// As a form has it: letters, digits, `-`, `.`, `_` and `~` as they are.
    fileprivate var formEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: text.unicodeScalars.append(.init(byte))
            default: text += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return text
    }

    /// The same, for what stands in an address.
    var percentEncoded: String { formEncoded }
}

extension VendorService {
    /// The same verdict on every device.
    func all(_ call: VendorCall, _ verdict: Verdict) -> [Verdict] { call.addresses.map { _ in verdict } }

    /// The verdict that a code proves.
    func verdict(_ code: String, _ text: String = "") -> Verdict {
        if let reason = VendorReason(vendor, code) { return .refused(.service(.vendor(reason), since: nil)) }
        let word = Refusal.printable(text)
        return .unknown(
            "\(vendor.title) answered \(Refusal.printable(code))\(word.isEmpty ? "" : " (\(word))"), "
                + "which does not say that nothing was sent")
    }
}

/// Sends messages through a vendor's service, a call for up to a thousand devices.
final class VendorSender: NotificationSending {
    private let service: any VendorService
    private let asker: VendorAsker
    private let tokens: AccessTokenSource
    private let perSecond: Int?

    /// The most devices of a call, with every vendor.
    private static let mostAtOnce = 1000

    /// Creates a sender; it asks for a token with its first message.
    init(_ service: any VendorService, _ asker: VendorAsker, perSecond: Int?) {
        self.service = service
        self.asker = asker
        self.perSecond = perSecond
        tokens = AccessTokenSource(of: service.vendor.title) { () throws(SenderError) in
            try await service.token(asker)
        }
    }

    /// Makes sure that there is a token, where one is needed.
    func prepare() async throws(SenderError) { try await tokens.prepare() }

    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        guard case .message(let message, let life, let id) = notification.body else {
            return targets.map { _ in .notSent(.noBodyGiven("it is not a message for this service")) }
        }
        var verdicts: [Verdict] = []
        let size = min(Self.mostAtOnce, perSecond ?? Self.mostAtOnce)
        for start in stride(from: 0, to: targets.count, by: size) {
            let part = targets[start..<min(start + size, targets.count)]
            guard gate.isOpen else {
                verdicts += part.map { _ in .notSent(.noBodyGiven("the delivery was stopped")) }
                continue
            }
            let call = VendorCall(
                message: message, addresses: part.map(\.token), life: life, id: "\(id)\(start == 0 ? "" : "x\(start)")")
            let answers = await answers(to: call)
            for answer in answers { gate.note(answer) }
            verdicts += answers
            if let perSecond, verdicts.count < targets.count {
                try? await Task.sleep(for: .seconds(1) * part.count / perSecond)
            }
        }
        return verdicts
    }

    /// The verdicts on a call, which is made once more with another token if the first is refused.
    private func answers(to call: VendorCall) async -> [Verdict] {
        do throws(SenderError) {
            try await tokens.prepare()
        } catch {
            return call.addresses.map { _ in .notSent(.noBodyGiven(error.description)) }
        }
        let token = tokens.token()
        let answers = await service.send(call, bearing: token, asker)
        guard case .refused(.service(let reason, _))? = answers.first, reason.row.decision == .renew,
            await tokens.replace(token)
        else { return answers }
        return await service.send(call, bearing: tokens.token(), asker)
    }

    func close() async {}
}
