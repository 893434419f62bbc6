package import Base
internal import Push
internal import Synchronization

extension SenderPool {
    /// Provides the senders of a delivery, whose rate is that of all its services together.
    ///
    /// One service keeps to it by itself, with less waiting. Waits end as soon as `pausing` ends.
    package nonisolated func senders(of order: DeliveryOrder, pausing: any Pausing) -> any SenderProviding {
        guard let perSecond = order.throttle, order.routes.count > 1 else {
            return senders(perSecond: order.throttle, environment: order.environment, to: order.destination)
        }
        return PacedSenders(
            senders: senders(environment: order.environment, to: order.destination),
            pace: Pace(perSecond: perSecond, pausing: pausing))
    }
}

/// The senders of one push with its own pace, over connections that may be shared by all pushes.
package struct PacedSenders: SenderProviding {
    private let senders: any SenderProviding
    private let pace: Pace

    /// Gives the senders of others a pace.
    package init(senders: any SenderProviding, pace: Pace) { (self.senders, self.pace) = (senders, pace) }

    package func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        PacedSender(sender: try await senders.sender(for: profile), pace: pace)
    }
}

/// Sends a batch in parts, each at its time.
private struct PacedSender: NotificationSending {
    let sender: any NotificationSending
    let pace: Pace

    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        var answers: [Verdict] = []
        for start in stride(from: 0, to: targets.count, by: pace.part) {
            let part = Array(targets[start..<min(start + pace.part, targets.count)])
            await pace.wait(for: part.count)
            answers += await sender.send(notification, to: part, through: gate)
        }
        return answers
    }

    /// Does nothing: the connections are shared.
    func close() async {}
}

/// Limits the number of devices per second.
package final class Pace: Sendable {
    private let perSecond: Int
    private let pausing: any Pausing
    private let next = Mutex(ContinuousClock.now)

    /// Creates a pace; waits end as soon as `pausing` ends.
    package init(perSecond: Int, pausing: any Pausing) {
        self.perSecond = max(1, perSecond)
        self.pausing = pausing
    }

    /// The number of devices sent at once: a tenth of a second's worth.
    fileprivate var part: Int { max(1, perSecond / 10) }

    /// Waits until `count` more devices may be sent to.
    fileprivate func wait(for count: Int) async {
        let now = ContinuousClock.now
        let begin = next.withLock { next in
            defer { next = max(next, now) + .seconds(1) * count / perSecond }
            return max(next, now)
        }
        try? await pausing.pause(for: begin - now)
    }
}
