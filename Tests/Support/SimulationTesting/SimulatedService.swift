/// A service behind a network: what becomes of requests, and whether they were allowed to leave when they did.
// Everything happens on the scheduler's thread.
class SimulatedService: @unchecked Sendable {
    /// The outcomes of requests now.
    final var weather = Weather.calm
    /// True if its lists can lack a push that it has.
    var hidesPushes: Bool { false }
    /// The number of sending requests that have left.
    final private(set) var requests = 0
    /// The reason a request must not have left.
    final private(set) var violations: [String] = []
    /// Asked just before a request of a process leaves; what it gives says why it must not leave.
    final var judge: @Sendable (Int) async -> @Sendable () -> String? = { _ in { nil } }

    /// True if the files of a process put a fence around the remote.
    final var isFenced: (Int) -> Bool = { _ in false }

    final let scheduler: Scheduler

    /// A service that a scheduler drives.
    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// True if a process's actions have an effect.
    final func isAlive(_ process: Int) -> Bool { scheduler.isAlive(process) }

    /// Counts a request that sends.
    final func leave(_ event: @autoclosure () -> String, _ objection: () -> String?) {
        requests += 1
        scheduler.tell(event())
        if let objection = objection() { violations.append("a request left although \(objection)") }
    }

    /// Lets up to so much time pass.
    final func pass(_ most: Duration) async {
        try? await scheduler.sleep(for: scheduler.chance.duration(below: most))
    }

    /// Waits for a connection, for the server's window, for a turn.
    final func stall() async {
        if scheduler.chance.happens(weather.stalls) {
            await pass(scheduler.chance.one(of: [.seconds(1), .seconds(90)]))
        }
    }
}
