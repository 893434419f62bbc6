import Base
import Push
import RemoteTesting

/// Ledger entries and answered questions for plans without a remote.
enum Ledger {
    /// What an apply would have recorded for a campaign.
    static func entry(
        _ campaign: Campaign, _ state: DeliveryState, now: Instant, age: Duration, generation: Int = 0,
        workspace: Workspace = Sample.workspace()
    ) -> LedgerEntry {
        var desired = workspace
        desired.campaigns = [campaign]
        let at = campaign.scheduledAt?.instant
        let planned = Planner.plan(
            answered(
                Sample.input(desired, RemoteState(now: at.map { $0 - .seconds(3600) } ?? now, ledgerStarted: true))))
        guard case .deliver(var entry, _)? = planned.steps.last?.operation else {
            fatalError("no delivery was planned for \(campaign.name)")
        }
        entry.state = state
        entry.intendedAt = now - age
        entry.attemptedAt = now - age
        entry.generation = generation
        entry.notificationID = Sample.delivery(campaign.name, revision: campaign.revision, generation: generation)
        return entry
    }

    /// The input with an answer to everything that a plan of it asks: nothing is found, every audience is 3.
    static func answered(_ input: PlanInput, devices: Int = 3, innerQuery: Int? = nil) -> PlanInput {
        var input = input
        for _ in 0..<3 {
            let questions = Planner.questions(input)
            for id in questions.lookUps { input.state.evidence[id] = Evidence.none }
            for digest in questions.counts.keys {
                input.state.audiences[digest] = AudienceCount(devices: devices, innerQuery: innerQuery)
            }
            input.state.installations = input.state.installations ?? InstallationSample(size: 0)
        }
        return input
    }

    /// The plan of a workspace on a remote that knows nothing, unless a state is given.
    static func plan(
        _ workspace: Workspace, _ state: RemoteState = RemoteState(now: Sample.start, ledgerStarted: true),
        devices: Int = 3, innerQuery: Int? = nil, selection: Selection = Selection(), isSimulated: Bool = false
    ) -> Plan {
        Planner.plan(
            answered(
                Sample.input(workspace, state, selection: selection, isSimulated: isSimulated), devices: devices,
                innerQuery: innerQuery)
        ).plan
    }
}

/// Makes requests whose audience only the service knows.
struct Broadcaster: RequestEncoding {
    let version = 1

    func encode(_ draft: PushDraft) -> EncodedPush { FakeEncoder().encode(draft) }

    func audience(of request: PushRequest) -> JSONValue? { nil }
}
