internal import Delivery
internal import Push

/// Apple's devices: how often each was pushed to, and whether a request was allowed to leave when it did.
// Everything happens on the scheduler's thread.
final class SimulatedApple: SimulatedService, @unchecked Sendable {
    /// The number of pushes to each device, or channel.
    private(set) var acted: [String: Int] = [:]
    /// The devices that each of Apple's words was said of.
    private(set) var refused: [String: Set<String>] = [:]
    /// The number of requests to each device whose outcome no living run learned.
    private(set) var doubts: [String: Int] = [:]

    /// One request; nil: its process has died, and nobody hears of it.
    fileprivate func push(_ token: String, by process: Int, _ objection: () -> String?) async -> Verdict {
        let fate = weather.fate(&scheduler.chance)
        if fate == .neverSent { return .notSent(.noBodyGiven("no connection")) }
        leave("a request to \(token): \(fate)", objection)
        let verdict = await answer(token, fate)
        // Whoever died before it could write the answer down leaves a doubt.
        if case .unknown = verdict { doubts[token, default: 0] += 1 }
        if !scheduler.isAlive(process) { return .unknown("the process has died") }
        return verdict
    }

    private func answer(_ token: String, _ fate: Weather.Fate) async -> Verdict {
        switch fate {
        case .accept, .neverSent:
            act(token)
            await pass(.milliseconds(300))
            return .accepted
        case .actInSilence:
            act(token)
            await pass(.seconds(30))
            return .unknown("no answer in time")
        case .actLate:
            let late = scheduler.elapsed + scheduler.chance.duration(below: .seconds(120))
            scheduler.at(late) { [self] in act(token) }
            await pass(.seconds(30))
            return .unknown("no answer in time")
        case .lose:
            await pass(.seconds(30))
            return .unknown("the connection was reset")
        case .actAndFail:
            act(token)
            return await refusal(scheduler.chance.one(of: [500, 502, 503, 504]), "", token)
        case .fail: return await refusal(scheduler.chance.one(of: [400, 429, 500, 503]), "Bad Gateway", token)
        case .refuseStream:
            await pass(.milliseconds(300))
            return .notSent(.streamRefused)
        case .refuse:
            let (status, word) = scheduler.chance.one(of: [(410, "Unregistered"), (400, "DeviceTokenNotForTopic")])
            return await refusal(status, word, token)
        case .putOff: return await refusal(429, "TooManyRequests", token)
        case .serverError: return await refusal(500, "InternalServerError", token)
        case .shutDown: return await refusal(503, "Shutdown", token)
        case .tooManyTokens: return await refusal(429, "TooManyProviderTokenUpdates", token)
        case .refuseProvider: return await refusal(403, "InvalidProviderToken", token)
        }
    }

    private func refusal(_ status: Int, _ word: String, _ token: String) async -> Verdict {
        refused[word, default: []].insert(token)
        await pass(.milliseconds(300))
        return Refusal(status: status, reason: word).verdict
    }

    private func act(_ token: String) { acted[token, default: 0] += 1 }
}

/// The connections of one process to Apple.
struct SimulatedSender: NotificationSending, SenderProviding {
    private let apple: SimulatedApple
    private let process: Int

    /// Connections that end with their process.
    init(_ apple: SimulatedApple, process: Int) {
        self.apple = apple
        self.process = process
    }

    func sender(for profile: String) async throws(SenderError) -> any NotificationSending { self }

    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        await withTaskGroup(of: (Int, Verdict).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask { (index, await request(target.token, through: gate)) }
            }
            var verdicts = [Verdict](repeating: .unknown("no answer"), count: targets.count)
            for await (index, verdict) in group { verdicts[index] = verdict }
            return verdicts
        }
    }

    private func request(_ token: String, through gate: any SendGate) async -> Verdict {
        let held = Verdict.notSent(.noBodyGiven("held back"))
        guard gate.isOpen else { return held }
        // For a connection, for the server's window, for its turn.
        await apple.stall()
        let objection = await apple.judge(process)
        guard gate.isOpen else { return held }
        guard apple.isAlive(process) else { return .unknown("the process has died") }
        let verdict = await apple.push(token, by: process, objection)
        gate.note(verdict)
        return verdict
    }

    func close() async {}
}
