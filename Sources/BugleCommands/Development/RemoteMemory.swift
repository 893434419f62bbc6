internal import Push

/// What `bugle dev` knows of the remote: read once, and asked further only for what a save asks anew.
actor RemoteMemory {
    /// Grows whenever the state was read again.
    private(set) var generation = 0
    private var kept: Kept?
    private var isRefreshing = false

    /// The age from which a state is read again.
    private static let oldest = Duration.seconds(60)

    private struct Kept {
        let key: Key
        let connected: Workbench.Connected
        var planning: PlanningSession
        var state: RemoteState
        var readAt: ContinuousClock.Instant
    }

    /// What another state belongs to when it differs.
    private struct Key: Hashable {
        let service: RemoteDeclaration.Service
        let ca: String?
        let timeout: Duration
        let workspace: String

        init(_ planning: PlanningSession) {
            service = planning.remote.service
            ca = planning.remote.ca
            timeout = planning.remote.timeout
            workspace = planning.desired.identityName
        }
    }

    /// The state that a plan of the files needs, and whose it is.
    ///
    /// - Throws: ``Failure`` and `RemoteError` as a plan does.
    func state(for planning: PlanningSession) async throws -> (RemoteState, RemoteDescription) {
        let key = Key(planning)
        let old = kept.flatMap { $0.key == key ? $0 : nil }
        let connected: Workbench.Connected
        if let old {
            connected = old.connected
        } else {
            connected = try await planning.bench.connect(
                planning.remote, workspace: planning.desired.identityName, retries: 0)
        }
        var known = old?.state
        // The sample counts the channels and profiles that the files had.
        if let old, Self.sampled(old.planning.desired) != Self.sampled(planning.desired) { known?.installations = nil }
        let state = try await Self.observe(connected, planning, from: known)
        kept = Kept(
            key: key, connected: connected, planning: planning, state: state,
            readAt: old?.readAt ?? ContinuousClock.now)
        return (state, connected.reader.description)
    }

    /// Begins to read the state again when it is old; a save in the meantime is planned with the old one.
    func refreshIfOld() {
        guard !isRefreshing, let kept, ContinuousClock.now - kept.readAt > Self.oldest else { return }
        isRefreshing = true
        Task {
            let state = try? await Self.observe(kept.connected, kept.planning)
            adopt(state, kept.key)
        }
    }

    private func adopt(_ state: RemoteState?, _ key: Key) {
        isRefreshing = false
        guard kept?.key == key else { return }
        // A remote that gives no answer is not asked again at once.
        kept?.readAt = ContinuousClock.now
        guard let state else { return }
        kept?.state = state
        generation += 1
    }

    private static func observe(
        _ connected: Workbench.Connected, _ planning: PlanningSession, from known: RemoteState? = nil
    ) async throws(RemoteError) -> RemoteState {
        let description = connected.reader.description
        return try await connected.reader.observe(from: known) {
            Planner.questions(planning.input($0, description: description, explainsAudiences: true))
        }
    }

    private static func sampled(_ desired: Workspace) -> [[String]] {
        [desired.channels.map(\.name), desired.deviceProfiles.map(\.name)]
    }
}
