internal import Base
internal import Delivery
package import DeviceRegistry
package import Push
internal import Synchronization

/// Deliveries under frequency rules to the same devices, whose runs are killed and joined: what must hold of all.
package final class CapTrial: Sendable {
    private let devices: [PartTrial.Device]
    private let store: Journal
    private let clock: FakeClock

    /// The rules of every delivery.
    private static let rules = [
        FrequencyRule(most: 2, per: .seconds(24 * 3600)), FrequencyRule(most: 3, per: .seconds(72 * 3600)),
    ]
    private static let deliveries = 10

    /// Creates a trial; `connect` opens the store under a clock, on which `devices` were seen at ``FakeClock/start``.
    package init(
        _ devices: [PartTrial.Device],
        connect: (@escaping @Sendable () -> Instant) async throws -> Journal
    ) async throws {
        self.devices = devices
        let clock = FakeClock()
        self.clock = clock
        store = try await connect { clock.now }
    }

    /// One delivery and what became of it.
    private struct Delivery {
        let job: DeliveryJob
        let apple = FakeApple()
        let times = Times()
        /// The members of its audience, before any rule.
        let selected: [PartTrial.Device]
        var runs = 0
        var figures: JournalFigures?
        var began: Instant?
        var ended: Instant?
    }

    /// Carries out ten deliveries in random order, each to a random half of the devices; returns what does not hold.
    ///
    /// With `interleaved`, any of them goes on at any time, and no device may get more than a rule allows. Otherwise each
    /// ends before the next begins, and the devices that are left out are those of a naive count.
    package func violations(interleaved: Bool, batchSize: Int, seed: UInt64) async throws -> [String] {
        // What an earlier call sent is further back than any rule looks. A multiple of five hours, as the pauses are.
        clock.advance(.seconds(75 * 3600))
        var random = SeededGenerator(seed: seed)
        var deliveries = (0..<Self.deliveries).map { number in
            let selected = devices.filter { _ in Bool.random(using: &random) }
            return Delivery(job: Self.job("cap-\(seed)-\(number)", number, selected), selected: selected)
        }
        var found: [String] = []
        for step in 0..<5000 {
            let open = deliveries.indices.filter { deliveries[$0].figures == nil }
            guard let index = interleaved ? open.randomElement(using: &random) : open.first else { break }
            if deliveries[index].began == nil { deliveries[index].began = clock.now }
            try await carryOut(&deliveries[index], batchSize, step, &random)
            if interleaved {
                clock.advance(.seconds(Int.random(in: 0...6 * 3600, using: &random)))
            } else if deliveries[index].figures != nil {
                deliveries[index].ended = clock.now
                found += try await complaints(deliveries[index], after: deliveries[..<index])
                // Far from the ends of both rules, whichever way a few minutes go.
                let hours = (clock.elapsed / .seconds(5 * 3600)).rounded(.down) + 1
                let pause = .seconds(5 * 3600) * Int(hours) - clock.elapsed
                clock.advance(pause + .seconds(5 * 3600 * Int.random(in: 0...2, using: &random)))
            }
        }
        if deliveries.contains(where: { $0.figures == nil }) { found.append("a delivery did not end") }
        if deliveries.allSatisfy({ $0.figures?.leftOut[.capped] ?? 0 == 0 }) { found.append("nobody was capped") }
        return found + excesses(deliveries)
    }

    private static func job(_ id: String, _ number: Int, _ selected: [PartTrial.Device]) -> DeliveryJob {
        var order = DeliveryOrder.score(to: .devices(selected.map(\.token)))
        order.frequency = rules
        // Rules know no workspaces: a device belongs to all.
        return DeliveryJob(
            id: id, workspace: "cap-\(number % 2)", order: order, start: FakeClock.start,
            window: .seconds(365 * 86_400))
    }

    private func carryOut(
        _ delivery: inout Delivery, _ batchSize: Int, _ step: Int, _ random: inout SeededGenerator
    ) async throws {
        func life() -> Life {
            Bool.random(using: &random) ? Life() : Life(acts: Int.random(in: 0...devices.count / 2, using: &random))
        }
        let round = PartTrial.Round(life: life(), helper: Int.random(in: 0..<4, using: &random) == 0 ? life() : nil)
        delivery.runs += 1
        let ending = try await TrialRun(store: store, clock: clock, apple: delivery.apple, times: delivery.times)
            .carryOut(delivery.job, step, round, batchSize: batchSize)
        if case .ended(let figures) = ending { delivery.figures = figures }
    }

    /// The devices that got more than a rule allows.
    private func excesses(_ deliveries: [Delivery]) -> [String] {
        var found: [String] = []
        for device in devices {
            let times = deliveries.compactMap { delivery -> Instant? in
                guard let count = delivery.apple.received[device.token] else { return nil }
                if count > 1 { found.append("\(device.token) got \(delivery.job.id) \(count) times") }
                return delivery.times.all[device.token]?.last
            }
            for (rule, last) in Self.rules.flatMap({ rule in times.map { (rule, $0) } }) {
                let count = times.count { $0 <= last && $0 >= last - rule.per }
                if count > rule.most { found.append("\(device.token) got \(count) within \(rule.per)") }
            }
        }
        return Array(found.prefix(20))
    }

    /// Compares whom a delivery left out with a naive count of those before it.
    private func complaints(_ delivery: Delivery, after earlier: ArraySlice<Delivery>) async throws -> [String] {
        guard let began = delivery.began, let ended = delivery.ended, ended - began < .seconds(3600) else {
            return ["\(delivery.job.id) took too long to be compared"]
        }
        var reached: [String: [Instant]] = [:]
        for other in earlier {
            for device in other.selected where try await store.reached(device.objectID, by: other.job.id) {
                if let time = other.began { reached[device.token, default: []].append(time) }
            }
        }
        let capped = delivery.selected.count { device in
            let times = reached[device.token] ?? []
            return Self.rules.contains { rule in times.count { $0 >= began - rule.per } >= rule.most }
        }
        let counted = delivery.figures?.leftOut[.capped] ?? 0
        let targets = delivery.figures?.targets
        guard counted == capped, targets == delivery.selected.count - capped else {
            return ["\(delivery.job.id) left out \(counted) devices and froze \(targets ?? 0), not \(capped)"]
        }
        return []
    }
}
