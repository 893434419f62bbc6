package import PushModel

/// Keeps the lock: renews it, and knows how long it certainly holds.
package actor LeaseKeeper {
    /// How long the lock holds after a renewal; <doc:Lock#Lifetime>.
    package static let length = Duration.seconds(120)
    /// How often it is renewed.
    package static let interval = Duration.seconds(30)

    private let writer: any RemoteWriting
    private let elapsed: @Sendable () -> Duration
    /// The lock as last confirmed.
    package private(set) var lease: Lease
    /// Whether somebody else has it.
    package private(set) var isLost = false
    private var confirmed: Duration
    private var isRenewing = false

    /// Keeps a lock that was taken after `began` had elapsed.
    package init(
        _ lease: Lease, writer: any RemoteWriting, began: Duration, elapsed: @escaping @Sendable () -> Duration
    ) {
        self.lease = lease
        self.writer = writer
        self.elapsed = elapsed
        confirmed = began
    }

    /// Renews when the interval has passed; a renewal that fails leaves the old end standing.
    package func renewIfDue() async {
        guard !isLost, !isRenewing, elapsed() - confirmed >= Self.interval else { return }
        await renew()
    }

    /// Whether something that takes at most `timeout` may start.
    package func hasTime(for timeout: Duration) async -> Bool { await leeway(for: timeout) != nil }

    /// How much later something that takes at most `timeout` may start: the last confirmed renewal must leave that and
    /// 10 s. Nil: it may not.
    ///
    /// When it may not, one renewal is tried.
    func leeway(for timeout: Duration) async -> Duration? {
        if isLost { return nil }
        if remaining < timeout + .seconds(10) { await renew() }
        let leeway = remaining - timeout - .seconds(10)
        return isLost || leeway < .zero ? nil : leeway
    }

    /// Asks whether the lock is still ours, however long it should hold: somebody may have freed it by hand.
    package func confirm() async {
        if !isLost { await renew() }
    }

    private var remaining: Duration { confirmed + Self.length - elapsed() }

    private func renew() async {
        isRenewing = true
        defer { isRenewing = false }
        let began = elapsed()
        do throws(RemoteError) {
            if let renewed = try await writer.renew(lease) {
                lease = renewed
                confirmed = began
            } else {
                isLost = true
            }
        } catch {
            // Not knowing is not losing: the time that is left decides.
        }
    }
}
