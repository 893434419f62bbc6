import Apply
import Base
import RemoteTesting
import Synchronization

@testable import Push

/// What one apply came to; without an outcome it was killed or could not begin.
struct Applied {
    let outcome: ApplySession.Outcome?
    let error: RemoteError?
    let remote: FakeRemote
    let events: [ApplyEvent]

    func result(_ name: String) -> ChangeResult? { outcome?.results.first { $0.change.name == name } }

    /// The ending in one word, for comparing.
    var ending: String {
        switch outcome?.ending {
        case .finished: "finished"
        case .stopped: "stopped"
        case .lockLost: "lockLost"
        case .ledgerLost: "ledgerLost"
        case .lockHeld(let lock, _): "held by \(lock.holder)"
        case .stale: "stale"
        case .olderCommit: "olderCommit"
        case nil: "error"
        }
    }

    var warnings: [String] {
        events.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    }

    /// How long was waited altogether.
    var waited: Duration {
        events.reduce(.zero) { sum, event in
            if case .waiting(_, let duration) = event { sum + duration } else { sum }
        }
    }
}

/// Who applies, and how.
struct Applier: Sendable {
    var name = "ann"
    var keepGoing = false
    var retries = 5
    var lockTimeout = Duration.zero
    var provenance = Provenance()
    var committedAt: Instant?
    var stop = StopSignal()
    var canSchedule = true
    var keepsJournal = false
    /// True if a team is told.
    var notifies = false
    var encoder = FakeEncoder()
    /// What is known of approvals; nil: the files' own rules, and nobody approved anything.
    var approvals: ApprovalInput?
    /// True for the run of a timer.
    var onlyDue = false
    /// What it is restricted to; empty for all.
    var targets: [Selection.Target] = []
    /// What differs from the plan that was agreed to.
    var differences: @Sendable (Plan) -> [String] = { _ in [] }
    /// Called before and after every write.
    var hook: @Sendable (FakeRemote.WritePoint, Int) async -> FakeRemote.Fate = { _, _ in .live }

    /// Called after every read.
    var afterRead: @Sendable (FakeRead) -> Void = { _ in }

    /// Applies a workspace to a service whose clock runs while it waits.
    @discardableResult
    func apply(_ workspace: Workspace, to service: FakeService) async -> Applied {
        let remote = FakeRemote(
            service, canSchedule: canSchedule, keepsJournal: keepsJournal, encoder: encoder, hook: hook,
            afterRead: afterRead)
        let log = EventLog()
        let session = ApplySession(
            reader: remote, writer: remote,
            options: ApplyOptions(
                keepGoing: keepGoing, retries: retries, lockTimeout: lockTimeout, holder: name, run: "run of \(name)",
                provenance: provenance, committedAt: committedAt, notifies: notifies),
            stop: stop, pausing: FakePause(service) { [stop] in stop.isRaised || remote.isDead }, heartbeat: NoPause(),
            elapsed: { service.elapsed }, report: { log.add($0) })
        do throws(RemoteError) {
            let outcome = try await session.run(
                input: { [encoder, canSchedule, keepsJournal, approvals, onlyDue, targets] state in
                    var input = Sample.input(
                        workspace, state, encoder: encoder, canSchedule: canSchedule, keepsJournal: keepsJournal,
                        selection: Selection(targets: targets, onlyDue: onlyDue))
                    if let approvals { input.approvals = approvals }
                    return input
                }, agree: differences)
            return Applied(outcome: outcome, error: nil, remote: remote, events: log.all)
        } catch {
            return Applied(outcome: nil, error: error, remote: remote, events: log.all)
        }
    }
}

/// Keeps what an apply tells.
private final class EventLog: Sendable {
    private let events = Mutex<[ApplyEvent]>([])

    func add(_ event: ApplyEvent) { events.withLock { $0.append(event) } }

    var all: [ApplyEvent] { events.withLock { $0 } }
}

extension FakeService {
    /// What an apply of a workspace would do now.
    func plan(
        _ workspace: Workspace, encoder: FakeEncoder = FakeEncoder(), keepsJournal: Bool = false
    ) async throws -> Plan {
        let remote = FakeRemote(self, canSchedule: !keepsJournal, keepsJournal: keepsJournal, encoder: encoder)
        func input(_ state: RemoteState) -> PlanInput {
            Sample.input(
                workspace, state, encoder: encoder, canSchedule: !keepsJournal, keepsJournal: keepsJournal)
        }
        let state = try await remote.observe { Planner.questions(input($0)) }
        return Planner.plan(input(state)).plan
    }

    /// The state of a campaign's delivery; nil when the ledger has none.
    func state(_ campaign: String, revision: Int = 1) -> DeliveryState? { entry(campaign, revision: revision)?.state }

    /// Puts an entry into the ledger as an apply left it `age` ago.
    func leave(
        _ campaign: Campaign, _ state: DeliveryState, age: Duration, generation: Int = 0,
        change: (inout LedgerEntry) -> Void = { _ in }
    ) {
        let id = Sample.delivery(campaign.name, revision: campaign.revision, generation: generation)
        let at = campaign.scheduledAt?.instant
        let encoded = FakeEncoder().encode(
            PushDraft(
                campaign: campaign, condition: campaign.audience.joinedCondition(segments: [:]),
                platforms: [.ios, .android], profile: nil, scheduledAt: at, notificationID: id))
        var entry = LedgerEntry(
            delivery: Sample.delivery(campaign.name, revision: campaign.revision), generation: generation,
            notificationID: id, workspace: "giants", campaign: campaign.name, revision: campaign.revision,
            state: state, request: encoded.request, fingerprint: Digest(of: "as sent"),
            content: campaign.contentDigest(segments: [:], profiles: [:]), encoder: 1, intendedAt: now - age,
            scheduledAt: at, window: campaign.window, expiresAt: campaign.expiration?.end(startingAt: at ?? now - age),
            fence: 0, provenance: Provenance())
        change(&entry)
        let left = entry
        with { $0.ledger.append(left) }
    }

    /// Lets the service have made the push of an entry.
    func make(_ campaign: String) {
        guard let request = entry(campaign)?.request else { return }
        with { _ = $0.take(request) }
    }
}
