internal import Base
internal import DeviceRegistry
internal import HTTP
internal import Push
internal import Synchronization

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
    /// True while a request may start.
    let isOpen: @Sendable () -> Bool

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
    /// What an answer to the call proves of each device, in their order.
    func verdicts(_ answer: HTTPResponse, _ call: VendorCall) -> [Verdict]
}

/// Makes the requests of vendors' services.
struct VendorAsker: Sendable {
    let http: any HTTPExchanging
    /// The address that replaces a service's own, by the names of `hosts`.
    let hosts: [String: String]
    let timeout: Duration
    let now: @Sendable () -> Instant

    /// The answer to a request, which is made once; or what its failure proves. `own` is the service's own address where
    /// there are several; `isWanted` is asked once more when it is about to be written.
    func ask(
        _ host: ServiceHost, or own: String? = nil, _ path: String, headers: [(String, String)] = [], type: String,
        body: [UInt8], while isWanted: (@Sendable () -> Bool)? = nil
    ) async -> Result<HTTPResponse, VendorFailure> {
        var request = HTTPRequest(
            .post, (hosts[host.rawValue] ?? own ?? host.address ?? "") + path,
            headers: [("Content-Type", type)] + headers, body: body, timeout: timeout, repetition: .once)
        request.isWanted = isWanted
        do throws(TransportError) {
            return .success(try await http.exchange(request))
        } catch {
            return .failure(VendorFailure(error.brief, wasSent: error.sent != .nothing))
        }
    }

    /// The JSON of an answer to a request for a token, or for anything else that sends nothing.
    func json(
        _ host: ServiceHost, _ path: String, headers: [(String, String)] = [], type: String, body: [UInt8]
    ) async throws(SenderError) -> JSONValue {
        switch await ask(host, path, headers: headers, type: type, body: body) {
        case .failure(let failure): throw SenderError("no access token: \(failure.why)", isTransient: true)
        case .success(let answer):
            if let date = answer.headers["date"].flatMap({ Instant(httpDate: $0) }),
                (now() - date).magnitude > ProviderTokenSource.tolerance, answer.status != 200
            {
                throw SenderError(CredentialError.clock(ahead: now() - date, of: "the service"))
            }
            guard answer.status < 500, answer.status != 429, let json = try? JSONValue(parsing: answer.body) else {
                throw SenderError("no access token: it answered \(answer.status)", isTransient: true)
            }
            return json
        }
    }

    /// The access token that a service gives for an id and a secret, as OAuth 2.0 says; or nil with what it says instead.
    func clientToken(
        _ host: ServiceHost, _ path: String, id: String, secret: Secret
    ) async throws(SenderError) -> (token: AccessToken?, refusal: String) {
        let fields = [("grant_type", "client_credentials"), ("client_id", id), ("client_secret", secret.revealedText)]
        let json = try await json(host, path, type: Self.form, body: Self.form(fields))
        return (
            AccessToken(json["access_token"], seconds: json["expires_in"]?.integer),
            Refusal.printable(json["error"]?.string ?? json["sub_error"]?.string ?? "")
        )
    }

    static let form = "application/x-www-form-urlencoded;charset=UTF-8"
    static let json = "application/json; charset=UTF-8"

    static func form(_ fields: [(String, String)]) -> [UInt8] {
        Array(fields.map { $0.0.percentEncoded + "=" + $0.1.percentEncoded }.joined(separator: "&").utf8)
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

extension VendorService {
    /// The same verdict on every device.
    func all(_ call: VendorCall, _ verdict: Verdict) -> [Verdict] { call.addresses.map { _ in verdict } }

    /// What an answer to the call, or its failure, proves of each device.
    func verdicts(_ answer: Result<HTTPResponse, VendorFailure>, _ call: VendorCall) -> [Verdict] {
        switch answer {
        case .failure(let failure): all(call, failure.verdict)
        case .success(let answer): verdicts(answer, call)
        }
    }

    /// The verdicts that a code of the whole call proves: one that calls a device dead does not say which of several.
    func all(_ call: VendorCall, code: String, _ text: String = "") -> [Verdict] {
        let verdict = verdict(code, text)
        guard call.addresses.count > 1, case .refused(.service(let reason, _)) = verdict,
            reason.row.decision == .dropTokenIfEnvironmentIsRight
        else { return all(call, verdict) }
        return all(call, self.verdict(VendorReason.notServed))
    }

    /// The devices of a call that stand in a list of its answer; nil when it cannot be read, or names others.
    func listed(_ list: JSONValue?, of call: VendorCall) -> Set<String>? {
        guard let list, !list.isNull else { return [] }
        guard let elements = list.array, case let names = elements.compactMap(\.string), names.count == elements.count,
            case let devices = Set(names), devices.isSubset(of: call.addresses)
        else { return nil }
        return devices
    }

    /// True for a code in place of an access token that says that the credential is refused: with any other the service
    /// may give one in a moment.
    func refusesCredential(_ code: String) -> Bool {
        switch VendorReason(vendor, code)?.row.decision {
        case .giveUp, .renew: true
        case .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken, .retry, .wait, .stopUntil, .reconnect, nil: false
        }
    }

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
    /// When the next call may start, with a limit on devices a second.
    private let next = Mutex(ContinuousClock.now)

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
        // An id that could stand for several devices, or for none, never leaves.
        let isFit = targets.map { Self.isAddress($0.token) }
        guard isFit.allSatisfy(\.self) else {
            let fit = zip(targets, isFit).filter(\.1).map(\.0)
            var rest = await send(notification, to: fit, through: gate)[...]
            let reason = VendorReason(service.vendor, VendorReason.notServed)
            let proof = reason.map { Proof.service(.vendor($0), since: nil) } ?? .noBodyGiven("it is no address")
            return isFit.map { $0 ? rest.popFirst() ?? .unknown("the sender gave no answer") : .notSent(proof) }
        }
        for start in stride(from: 0, to: targets.count, by: size) {
            let part = targets[start..<min(start + size, targets.count)]
            await pace(part.count)
            let addresses = part.map(\.token)
            // The same devices have the same id, however a batch is cut.
            let call = VendorCall(
                message: message, addresses: addresses, life: life,
                id: "\(id)n\(VendorMessage.number(of: addresses))", isOpen: { gate.isOpen })
            let answers = await answers(to: call)
            for answer in answers { gate.note(answer) }
            verdicts += answers
        }
        return verdicts
    }

    /// Waits until so many more devices may be sent to: all calls of the sender share one limit.
    private func pace(_ devices: Int) async {
        guard let perSecond else { return }
        let now = ContinuousClock.now
        let start = next.withLock { next in
            defer { next = max(next, now) + .seconds(1) * devices / perSecond }
            return max(next, now)
        }
        try? await Task.sleep(until: start)
    }

    /// True for printable ASCII without spaces and commas, which separate the devices of a call to Xiaomi.
    private static func isAddress(_ text: String) -> Bool {
        // Of every device of a call: what `allSatisfy` costs over a text's view is a tenth of the whole call.
        var copy = text
        return copy.withUTF8 { bytes in
            guard (1...512).contains(bytes.count) else { return false }
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                if byte < 0x21 || byte > 0x7E || byte == UInt8(ascii: ",") { return false }
            }
            return true
        }
    }

    /// The verdicts on a call, which is made once more with another token if the first is refused.
    private func answers(to call: VendorCall) async -> [Verdict] {
        do throws(SenderError) {
            try await tokens.prepare()
        } catch {
            return call.addresses.map { _ in .notSent(.noBodyGiven(error.description)) }
        }
        let token = tokens.token()
        guard call.isOpen() else { return service.all(call, Self.stopped) }
        let answers = await service.send(call, bearing: token, asker)
        // Only a refusal of the whole call may be repeated.
        let isRefused = answers.allSatisfy { answer in
            if case .refused(.service(let reason, _)) = answer { reason.row.decision == .renew } else { false }
        }
        guard isRefused else { return answers }
        guard await tokens.replace(token) else {
            return tokens.outage.map { service.all(call, .notSent(.noBodyGiven($0))) } ?? answers
        }
        guard call.isOpen() else { return service.all(call, Self.stopped) }
        return await service.send(call, bearing: tokens.token(), asker)
    }

    private static let stopped = Verdict.notSent(.noBodyGiven("the delivery was stopped"))

    func close() async {}
}
