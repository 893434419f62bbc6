internal import Delivery
internal import Push

/// The devices of Apple and of other services: how often each was pushed to, and whether a request was allowed to leave
/// when it did.
// Everything happens on the scheduler's thread.
final class SimulatedApple: SimulatedService, @unchecked Sendable {
    /// The number of pushes to each device, or channel.
    private(set) var acted: [String: Int] = [:]
    /// The devices that each word of a service was said of.
    private(set) var refused: [String: Set<String>] = [:]
    /// The devices within the fence.
    var testers: Set<String> = []
    /// The number of requests to each device whose outcome no living run learned.
    private(set) var doubts: [String: Int] = [:]

    /// One request for some devices of a service, several where it takes several; whose process has died, nobody hears
    /// of it.
    fileprivate func push(
        _ tokens: [String], of vendor: PushVendor, by process: Int, _ objection: () -> String?
    ) async -> [Verdict] {
        let fate = weather.fate(&scheduler.chance)
        if fate == .neverSent { return tokens.map { _ in .notSent(.noBodyGiven("no connection")) } }
        leave("a request to \(tokens.joined(separator: ", ")): \(fate)") {
            isFenced(process) && !testers.isSuperset(of: tokens) ? "a device is outside the fence" : objection()
        }
        let verdicts = await answer(tokens, vendor, fate)
        for (token, verdict) in zip(tokens, verdicts) {
            switch verdict {
            // Whoever died before it could write the answer down leaves a doubt.
            case .unknown: doubts[token, default: 0] += 1
            case .refused(.service(let reason, _)): refused[reason.word, default: []].insert(token)
            case .accepted, .refused, .notSent: break
            }
        }
        return scheduler.isAlive(process) ? verdicts : tokens.map { _ in .unknown("the process has died") }
    }

    private func answer(_ tokens: [String], _ vendor: PushVendor, _ fate: Weather.Fate) async -> [Verdict] {
        func all(_ verdict: Verdict, within time: Duration) async -> [Verdict] {
            await pass(time)
            return tokens.map { _ in verdict }
        }
        switch fate {
        case .actInSilence:
            act(tokens)
            return await all(.unknown("no answer in time"), within: .seconds(30))
        case .actLate:
            let late = scheduler.elapsed + scheduler.chance.duration(below: .seconds(120))
            scheduler.at(late) { [self] in act(tokens) }
            return await all(.unknown("no answer in time"), within: .seconds(30))
        case .lose: return await all(.unknown("the connection was reset"), within: .seconds(30))
        case .refuseStream: return await all(.notSent(.streamRefused), within: .milliseconds(300))
        case .partly where ![.apns, .fcm].contains(vendor):
            await pass(.milliseconds(300))
            return tokens.map { token in
                let words = ["", "", VendorReason.deadAddress, VendorReason.notServed]
                if let reason = VendorReason(vendor, scheduler.chance.one(of: words)) {
                    return .refused(.service(.vendor(reason), since: nil))
                }
                act([token])
                // An answer need not speak of every device.
                return scheduler.chance.happens(200) ? .unknown("nothing is said of the device") : .accepted
            }
        case .actAndFail:
            act(tokens)
            return await all(
                noise(scheduler.chance.one(of: [500, 502, 503, 504]), "", vendor), within: .milliseconds(300))
        case .fail:
            return await all(
                noise(scheduler.chance.one(of: [400, 429, 500, 503]), "Bad Gateway", vendor),
                within: .milliseconds(300))
        case .serverError where vendor != .apns:
            return await all(noise(500, "INTERNAL", vendor), within: .milliseconds(300))
        case .accept, .neverSent, .refuse, .putOff, .serverError, .shutDown, .tooManyTokens, .refuseProvider, .partly,
            .useUp:
            guard let reason = word(of: vendor, for: fate) else {
                act(tokens)
                return await all(.accepted, within: .milliseconds(300))
            }
            return await all(.refused(.service(reason, since: nil)), within: .milliseconds(300))
        }
    }

    /// What an answer of something in between proves.
    private func noise(_ status: Int, _ word: String, _ vendor: PushVendor) -> Verdict {
        vendor == .apns ? Refusal(status: status, reason: word).verdict : .unknown("it answered \(status)")
    }

    /// The word with which a service refuses a whole request; nil: it has none for that.
    private func word(of vendor: PushVendor, for fate: Weather.Fate) -> ServiceReason? {
        switch vendor {
        case .apns:
            switch fate {
            case .refuse: scheduler.chance.one(of: [.apple(.unregistered), .apple(.deviceTokenNotForTopic)])
            case .putOff: .apple(.tooManyRequests)
            case .serverError: .apple(.internalServerError)
            case .shutDown: .apple(.shutdown)
            case .tooManyTokens: .apple(.tooManyProviderTokenUpdates)
            case .refuseProvider: .apple(.invalidProviderToken)
            case _: nil
            }
        case .fcm:
            switch fate {
            case .refuse: scheduler.chance.one(of: [.fcm(.unregistered), .fcm(.senderIDMismatch)])
            case .putOff: .fcm(.quotaExceeded)
            case .refuseProvider: .fcm(.permissionDenied)
            case _: nil
            }
        case .hms: vendorWord(vendor, for: fate, putOff: "HTTP 503", refuse: "80300002")
        case .mi, .miGlobal: vendorWord(vendor, for: fate, putOff: "200002", useUp: "200001", refuse: "21301")
        case .oppo: vendorWord(vendor, for: fate, putOff: "55", useUp: "33", refuse: "30")
        case .vivo: vendorWord(vendor, for: fate, putOff: "10072", useUp: "10070", refuse: "10200")
        case .harmony, .honor: nil
        }
    }

    private func vendorWord(
        _ vendor: PushVendor, for fate: Weather.Fate, putOff: String, useUp: String? = nil, refuse: String
    ) -> ServiceReason? {
        let code: String? =
            switch fate {
            case .refuse: VendorReason.notServed
            case .putOff: putOff
            case .useUp: useUp
            case .refuseProvider: refuse
            case _: nil
            }
        return code.flatMap { VendorReason(vendor, $0) }.map { .vendor($0) }
    }

    private func act(_ tokens: [String]) { for token in tokens { acted[token, default: 0] += 1 } }
}

/// The connections of one process to all services.
struct SimulatedSenders: SenderProviding {
    let apple: SimulatedApple
    let process: Int

    func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        SimulatedSender(apple, vendor: PushVendor(rawValue: profile) ?? .apns, process: process)
    }
}

/// The connections of one process to a service.
struct SimulatedSender: NotificationSending {
    private let apple: SimulatedApple
    private let vendor: PushVendor
    private let process: Int

    /// Connections that end with their process.
    init(_ apple: SimulatedApple, vendor: PushVendor, process: Int) {
        (self.apple, self.vendor, self.process) = (apple, vendor, process)
    }

    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        let tokens = targets.map(\.token)
        if case .message = notification.body { return await request(tokens, through: gate) }
        return await withTaskGroup(of: (Int, [Verdict]).self) { group in
            for (index, token) in tokens.enumerated() {
                group.addTask { (index, await request([token], through: gate)) }
            }
            var verdicts = [Verdict](repeating: .unknown("no answer"), count: targets.count)
            for await (index, verdict) in group { verdicts[index] = verdict[0] }
            return verdicts
        }
    }

    private func request(_ tokens: [String], through gate: any SendGate) async -> [Verdict] {
        func none(_ verdict: Verdict) -> [Verdict] { tokens.map { _ in verdict } }
        let held = Verdict.notSent(.noBodyGiven("held back"))
        guard gate.isOpen else { return none(held) }
        // For a connection, for the server's window, for its turn.
        await apple.stall()
        let objection = await apple.judge(process)
        guard gate.isOpen else { return none(held) }
        guard apple.isAlive(process) else { return none(.unknown("the process has died")) }
        let verdicts = await apple.push(tokens, of: vendor, by: process, objection)
        for verdict in verdicts { gate.note(verdict) }
        return verdicts
    }

    func close() async {}
}
