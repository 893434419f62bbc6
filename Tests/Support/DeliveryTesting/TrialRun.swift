internal import Delivery
internal import DeviceRegistry
internal import Push
internal import Synchronization

/// Runs of one delivery over a real store, each under the lock of its workspace, killed and joined.
struct TrialRun {
    let store: Journal
    let clock: FakeClock
    let apple: FakeApple
    let times: Times

    /// Carries out one run, as far as it lives.
    func carryOut(
        _ job: DeliveryJob, _ number: Int, _ round: PartTrial.Round, batchSize: Int
    ) async throws -> DeliveryEnding {
        // The lock of the run before has expired.
        clock.advance(.seconds(121))
        let attempt = try await store.acquireLock(of: job.workspace, holder: "test", run: "run\(number)")
        guard case .acquired(let lease) = attempt else { throw RegistryError(internal: "the lock was not had") }
        func engine(_ life: Life) -> DeliveryEngine {
            DeliveryEngine(
                store: store.mortal(life, batchSize: batchSize),
                senders: FakeSenders(
                    sender: FakeSender(apple: apple, life: life) { times.note($0.token, clock.now) }),
                pausing: FakePause(clock: clock) { life.isOver }, heartbeat: NoPause(), elapsed: { clock.elapsed })
        }
        func permit(_ run: String) -> DeliveryPermit {
            DeliveryPermit(
                run: run, lease: lease,
                permission: { clock.now < lease.expiresAt ? .granted(for: DeliveryPermit.grace) : .denied(.lockLost) })
        }
        async let helped: DeliveryStop? = {
            guard let helper = round.helper else { return nil }
            return await engine(helper).help(job, under: permit("helper\(number)"))
        }()
        let ending = await engine(round.life).run(job, under: permit("run\(number)"))
        _ = await helped
        return ending
    }
}

/// The times at which each device was about to be sent to.
final class Times: Sendable {
    private let sent = Mutex<[String: [Instant]]>([:])

    func note(_ token: String, _ now: Instant) { sent.withLock { $0[token, default: []].append(now) } }

    var all: [String: [Instant]] { sent.withLock { $0 } }
}
