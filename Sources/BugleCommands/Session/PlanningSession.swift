internal import Base
internal import Push

/// A remote with a checked workspace: the starting point of planning and applying.
struct PlanningSession: Sendable {
    var bench: Workbench
    let desired: Workspace
    let remote: RemoteDeclaration
    let selection: Selection
    /// What is known of approvals.
    var approvals: ApprovalInput

    /// Reads, checks and selects; no request is sent yet. `isRepeated` is true for a program that does so again and
    /// again, `isReview` for a plan that is only shown, `isOffline` for one against a recorded
    /// state.
    ///
    /// - Throws: ``Failure`` when the workspace or the remote cannot be used.
    init(
        _ common: CommonOptions, _ remote: RemoteOptions, targets: [String], onlyDue: Bool = false,
        isRepeated: Bool = false, isReview: Bool = false, isOffline: Bool = false
    ) async throws {
        bench = try await Workbench(common, isRepeated: isRepeated)
        var desired = try bench.desired()
        self.remote = try bench.remote(named: remote.remote, in: desired)
        try bench.check(self.remote, desired)
        desired = try bench.withCredentialFacts(desired, for: self.remote, isOffline: isOffline)
        self.desired = desired
        selection = Selection(targets: try Self.targets(targets, in: desired), onlyDue: onlyDue)
        // A merge request's pipeline on GitLab has the branch checked out, not a merge.
        let base = isReview ? bench.environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"] : nil
        approvals = await ApprovalFacts(folder: bench.loaded.folder).input(base: base)
    }

    /// The warnings of targets that only the remote may have.
    private var targetNotes: [PlanDiagnostic] {
        selection.targets.filter { !desired.declares($0) }.map { target in
            PlanDiagnostic(
                .warning, .unknownReference, Reason(.unknownTarget, .text(target.text)), help: Reason(.checkTarget))
        }
    }

    /// Returns the planner's input for a state of the remote. With `explainsAudiences`, the details for reviewers are
    /// queried; an apply sends no more requests than it needs.
    func input(
        _ state: RemoteState, description: RemoteDescription, now: Instant? = nil, isSimulated: Bool = false,
        explainsAudiences: Bool = false
    ) -> PlanInput {
        var input = PlanInput(
            desired: desired, remote: description, capabilities: remote.type.capabilities,
            encoder: remote.type.encoder, state: state, now: now, selection: selection, isSimulated: isSimulated)
        input.explainsAudiences = explainsAudiences
        input.approvals = approvals
        return input
    }

    /// Returns the error for a target that matches nothing in the files and nothing in the plan.
    func misspeltTarget(_ plan: Plan) -> Failure? {
        let target = selection.targets.first { !desired.declares($0) && !plan.changes(anythingOf: $0) }
        return target.map { target in
            let ending = Suggestion.ending(for: target.text, among: desired.targetTexts)
            return Failure(
                .usage, "--target \(target.text) matches nothing in the files or on \(remote.name)\(ending)")
        }
    }

    /// Returns the plan with the earlier diagnostics added.
    func completed(_ plan: Plan) -> Plan {
        var plan = plan
        plan.diagnostics = (bench.diagnostics.map(\.planned) + targetNotes + plan.diagnostics).sortedForPrinting()
        return plan
    }

    private static func targets(_ texts: [String], in desired: Workspace) throws -> [Selection.Target] {
        try texts.map { text in
            guard let target = Selection.Target(text) else {
                let known = desired.targetTexts
                let named = known.first { $0.hasSuffix("/" + text) }.map { "; did you mean '\($0)'?" }
                throw Failure(
                    .usage,
                    "'\(text)' is not a target"
                        + (named ?? Suggestion.ending(for: text, among: known) + "; write KIND/NAME or label=VALUE"))
            }
            return target
        }
    }
}

extension Workspace {
    /// All valid values of `--target KIND/NAME` and `--target label=VALUE`.
    var targetTexts: [String] {
        campaigns.map { "Campaign/\($0.name)" } + channels.map { "Channel/\($0.name)" }
            + segments.map { "Segment/\($0.name)" } + deviceProfiles.map { "DeviceProfile/\($0.name)" }
            + Set(campaigns.flatMap(\.labels.values)).sorted().map { "label=\($0)" }
    }
}

extension Plan {
    /// True if the plan has a change to the target.
    fileprivate func changes(anythingOf target: Selection.Target) -> Bool {
        guard case .resource(let kind, let name) = target else { return false }
        return changes.contains { $0.kind == kind && $0.name == name }
    }
}
