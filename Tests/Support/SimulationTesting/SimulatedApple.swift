package import APNs
package import APNsDelivery
package import PushModel
internal import Synchronization

/// Apple's devices: how often each was pushed to, and whether a request was allowed to leave when it did.
// Everything happens on the scheduler's thread.
package final class SimulatedApple: @unchecked Sendable {
    /// What becomes of requests now.
    package var weather = Weather.calm
    /// How often each device, or channel, was pushed to.
    package private(set) var acted: [String: Int] = [:]
    /// The devices that each of Apple's words was said of.
    package private(set) var refused: [String: Set<String>] = [:]
    /// Devices of whose request nobody who lived has learned what became.
    package private(set) var doubtful: Set<String> = []
    /// How many requests left.
    package private(set) var requests = 0
    /// Why a request must not have left.
    package private(set) var violations: [String] = []
    /// Asked just before a request of a process leaves; what it gives says why it must not leave.
    package var judge: @Sendable (Int) async -> @Sendable () -> String? = { _ in { nil } }

    private let scheduler: Scheduler

    /// Devices behind a network that a scheduler drives.
    package init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// Forgets that a device is in doubt: it is sent to again on purpose.
    package func reopen() { doubtful = [] }

    /// One request; nil: its process has died, and nobody hears of it.
    fileprivate func push(_ token: String, by process: Int, _ objection: () -> String?) async -> Verdict {
        let fate = weather.fate(&scheduler.chance)
        if fate == .neverSent { return .notSent(.noBodyGiven("no connection")) }
        requests += 1
        scheduler.tell("a request to \(token): \(fate)")
        if let objection = objection() { violations.append("a request left although \(objection)") }
        let verdict = await answer(token, fate)
        // Whoever died before it could write the answer down leaves a doubt.
        if case .unknown = verdict { doubtful.insert(token) }
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

    private func pass(_ most: Duration) async {
        try? await scheduler.sleep(for: scheduler.chance.duration(below: most))
    }

    fileprivate func stall() async {
        if scheduler.chance.happens(weather.stalls) {
            await pass(scheduler.chance.one(of: [.seconds(1), .seconds(90)]))
        }
    }
}

/// The connections of one process to Apple.
package struct SimulatedSender: NotificationSending, SenderProviding {
    private let apple: SimulatedApple
    private let process: Int

    /// Connections that end with their process.
    package init(_ apple: SimulatedApple, process: Int) {
        self.apple = apple
        self.process = process
    }

    package func sender(for profile: String) async throws(SenderError) -> any NotificationSending { self }

    package func send(
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

    package func close() async {}
}

extension SimulatedApple {
    fileprivate func isAlive(_ process: Int) -> Bool { scheduler.isAlive(process) }
}
