package import Push
internal import Synchronization

/// A push service in memory that several runs talk to, each through its own ``FakeRemote``.
package final class FakeService: Sendable {
    private let world: Mutex<FakeWorld>
    private let start: Instant

    /// An empty service with a clock and some devices that every push reaches.
    package init(now: Instant = Sample.start, devices: [String] = ["d1", "d2", "d3"]) {
        world = Mutex(FakeWorld(now: now, devices: devices))
        start = now
    }

    /// The service as another one is now; what happens to either happens to it alone.
    package init(copying other: FakeService) {
        world = Mutex(other.with { $0 })
        start = other.start
    }

    /// Looks at the world, or changes it.
    package func with<Value: Sendable>(_ body: (inout sending FakeWorld) -> sending Value) -> Value {
        world.withLock { body(&$0) }
    }

    /// The server's clock.
    package var now: Instant { with { $0.now } }

    /// Time since the service began: a monotonic clock for those who talk to it.
    package var elapsed: Duration { now - start }

    /// Moves the clock, and lets happen what falls due.
    package func advance(_ duration: Duration) { with { $0.advance(duration) } }

    /// The ledger entry that counts for a campaign's revision.
    package func entry(_ campaign: String, revision: Int = 1) -> LedgerEntry? {
        with { world in
            world.ledger.filter { $0.campaign == campaign && $0.revision == revision }
                .max { $1.outranks($0) }
        }
    }

    /// The number of times each message reached the devices; -1 when devices disagree.
    package var received: [String: Int] {
        with { world in
            var counts: [String: Set<Int>] = [:]
            let all = Set(world.inboxes.values.joined())
            for message in all {
                counts[message] = Set(world.inboxes.values.map { $0.count { $0 == message } })
            }
            return counts.mapValues { $0.count == 1 ? $0.first ?? -1 : -1 }
        }
    }
}
