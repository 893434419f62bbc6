internal import Diagnostics
internal import PushModel
internal import PushPlan
internal import PushRemote

/// A remote with a checked workspace: what planning and applying start from.
struct Planning: Sendable {
    var bench: Workbench
    let desired: Workspace
    let remote: RemoteDeclaration
    let selection: Selection

    /// Reads, checks and selects; nothing is asked of the remote yet.
    ///
    /// - Throws: ``Failure`` when the workspace or the remote cannot be used.
    init(
        _ common: CommonOptions, _ remote: RemoteOptions, targets: [String], onlyDue: Bool = false
    ) async throws {
        bench = try await Workbench(common)
        var desired = try bench.desired()
        self.remote = try bench.remote(named: remote.remote, in: desired)
        try bench.check(self.remote, desired)
        desired = try bench.withCredentialFacts(desired)
        self.desired = desired
        selection = Selection(targets: try Self.targets(targets), onlyDue: onlyDue)
        bench.diagnostics += selection.targets.filter { !desired.declares($0) }.map { target in
            Diagnostic(
                .warning, .unknownReference,
                "no file declares \(target.text); only what the remote has of it is planned",
                help: "look at the spelling of --target")
        }
    }

    /// The planner's input for what a remote told.
    ///
    /// - Parameter explainsAudiences: whether the remote is asked what a reviewer wants to know; an apply asks nothing
    ///   more than it needs.
    func input(
        _ state: RemoteState, description: RemoteDescription, now: Instant? = nil, isSimulated: Bool = false,
        explainsAudiences: Bool = false
    ) -> PlanInput {
        var input = PlanInput(
            desired: desired, remote: description, capabilities: remote.type.capabilities,
            encoder: remote.type.encoder, state: state, now: now, selection: selection, isSimulated: isSimulated)
        input.explainsAudiences = explainsAudiences
        return input
    }

    /// A plan with everything that was to be said before it was made.
    func completed(_ plan: Plan) -> Plan {
        var plan = plan
        plan.diagnostics = (bench.diagnostics + plan.diagnostics).sortedForPrinting()
        return plan
    }

    private static func targets(_ texts: [String]) throws -> [Selection.Target] {
        try texts.map { text in
            guard let target = Selection.Target(text) else {
                throw Failure(.usage, "'\(text)' is no target; write KIND/NAME or label=VALUE")
            }
            return target
        }
    }
}
