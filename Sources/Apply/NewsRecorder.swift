internal import Base
internal import Push

/// Records in the ledger what a team is about to be told, so that no other apply tells it again.
///
/// The record comes first: what a kill or a dead webhook keeps from being told is told by nobody else.
struct NewsRecorder: Sendable {
    let context: ApplyContext

    /// Records the news of deliveries, and returns it. What cannot be recorded is left to the next apply. The ledger is
    /// read where it is not `known`, since this apply changed it.
    func record(_ known: [LedgerEntry]?) async -> [NotifyEvent] {
        var news: [NotifyEvent] = []
        do throws(RemoteError) {
            let ledger = if let known { known } else { try await context.reader.stoppedLedger().entries }
            for entry in ledger.strongest.values.sorted(by: { $0.title < $1.title }) {
                let untold = entry.untold(at: context.time.now)
                guard !untold.isEmpty else { continue }
                try await context.writer.update(entry.telling(untold).unstopped, under: await context.keeper.lease)
                news += untold
            }
        } catch {
            context.report(.warning("the next apply tells what became of deliveries: \(error.description)"))
        }
        return news
    }

    /// What waits for people and was not told yet.
    static func waiting(_ plan: Plan, _ policy: Policy, _ state: RemoteState) -> [NotifyEvent] {
        let told = state.lock?.lastApplied?.told ?? []
        return plan.waiting(policy).filter { !told.contains($0.id) }
    }

    /// The ids that the next apply must know, once these events were told, too: the last two hundred.
    static func remembered(_ told: [NotifyEvent], _ state: RemoteState) -> [String] {
        ((state.lock?.lastApplied?.told ?? []) + told.map(\.id)).suffix(200)
    }

    /// True if a team was not told yet of something that the remote's state or the plan shows.
    static func hasNews(_ state: RemoteState, _ plan: Plan, _ policy: Policy) -> Bool {
        state.ledger.strongest.values.contains { !$0.untold(at: state.now).isEmpty }
            || !waiting(plan, policy, state).isEmpty
    }
}
