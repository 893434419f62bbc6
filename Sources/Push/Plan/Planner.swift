package import Base

/// Makes plans: a pure function of the files, the remote's state and an instant.
package enum Planner {
    /// A plan with the operations of its changes.
    package struct Result: Sendable {
        /// The plan, which is shown, saved and compared.
        package var plan: Plan
        /// The same changes in the same order, with their operations.
        package var steps: [Step]
        /// What later applies must know of approvals; nil: nothing.
        package var approvals: ApprovalMemory?
    }

    /// Returns the plan for an input.
    package static func plan(_ input: PlanInput) -> Result {
        var steps = ResourcePlanner(input: input).changes()
            .filter { input.selection.selects($0.change.kind, $0.change.name) }
        let contents = input.desired.contentDigests
        let campaigns = CampaignPlanner(input, contents: contents)
        var diagnostics: [PlanDiagnostic] = []
        var sendingResumes: Set<DeliveryID> = []
        let outcomes = campaigns.outcomes()
        steps.reserveCapacity(steps.count + outcomes.reduce(0) { $0 + $1.steps.count })
        for outcome in outcomes {
            steps += outcome.steps
            diagnostics += outcome.diagnostics
            sendingResumes.formUnion(outcome.sendingResumes)
        }
        diagnostics += StateRemarks.parts(of: outcomes.compactMap(\.edited))
        if input.selection.onlyDue { Self.holdBackUncancelled(&steps, input) }
        steps.removeAll { !input.selection.selects($0.change) }
        if let doubt = input.workspaceDoubt {
            for place in steps.indices where steps[place].change.action.isChange {
                steps[place].change.blocked.append(doubt)
            }
        }
        ApplyLimits(policy: input.desired.policy, hasCampaigns: !input.desired.campaigns.isEmpty)
            .block(&steps, sendingResumes: sendingResumes)
        Self.blockBesideUncancelled(&steps, input)
        if let stop = input.state.stops.first(where: \.isForAll) {
            for place in steps.indices where steps[place].makesPush {
                steps[place].change.blocked.append(Block(.stopped, stop.reason))
            }
        }
        // After the limits: they count what would be sent if it were approved, so that approvals block nothing else.
        let approvals = ApprovalJudge(input, contents: contents).judge(&steps)
        steps.sort { Change.precedes($0.change, $1.change) }
        if let remote = input.desired.remotes[input.remote.name], remote.policy != nil {
            let campaigns = input.desired.campaignPlaces
            for place in steps.indices where steps[place].change.isBlocked {
                let campaign = campaigns[steps[place].change.name].map { input.desired.campaigns[$0] }
                steps[place].change.blocked = steps[place].change.blocked.map { $0.saying(remote, campaign) }
            }
        }
        if let review = AudienceReviewer(input, steps: steps) { diagnostics += review.fill(&steps) }
        campaigns.history.noteLastDeliveries(of: input.desired, in: &steps)
        // Added after the audiences, since collisions and local times depend on their devices.
        let calendar = CalendarPlanner(input, steps: steps, sendingResumes: sendingResumes)
        let (entries, remarks) = calendar.calendar()
        let certificates = CertificateReview(desired: input.desired, now: input.now)
            .certificates(pushing: calendar.pushedCampaigns(campaigns.drafting))
        diagnostics += remarks
        diagnostics += StateRemarks(input: input, steps: steps, certificates: certificates).diagnostics()
        var plan = Plan(
            workspace: input.desired.name, remote: input.remote,
            desired: input.desired.desiredDigest(contents: contents),
            lastApplied: input.state.lock?.lastApplied?.withoutApprovals, createdAt: input.now,
            isSimulated: input.isSimulated,
            targets: input.selection.targets.map(\.text), changes: steps.map(\.change), diagnostics: diagnostics)
        plan.language = input.desired.language
        plan.stops = input.stops
        if input.desired.app != ShownApp(name: input.desired.name) { plan.app = input.desired.app }
        plan.calendar = entries
        plan.certificates = certificates
        return Result(plan: plan, steps: steps, approvals: approvals)
    }

    /// Leaves what is to be sent of a campaign to a later apply while something of it is to be cancelled, which a timer
    /// does not do: both would be sent.
    private static func holdBackUncancelled(_ steps: inout [Step], _ input: PlanInput) {
        let cancels = steps.filter { step in
            step.change.action == .cancel && !step.isOfStopped(at: input.now, listed: input.state.scheduled)
        }
        let names = Set(cancels.map(\.change.name))
        for place in steps.indices
        where steps[place].makesPush && steps[place].change.action.isChange && names.contains(steps[place].change.name)
        {
            steps[place].operation = .nothing
            steps[place].change.action = .wait
            steps[place].change.reason = Reason(.otherNotCancelled)
        }
    }

    /// Blocks what is to be sent of a campaign by the rule that keeps another push of it from being cancelled: both
    /// would be sent.
    private static func blockBesideUncancelled(_ steps: inout [Step], _ input: PlanInput) {
        var rules: [String: Block.Rule] = [:]
        for step in steps {
            guard case .cancel(_, nil) = step.operation, let block = step.change.blocked.first,
                !step.isOfStopped(at: input.now, listed: input.state.scheduled)
            else { continue }
            rules[step.change.name] = block.rule
        }
        for place in steps.indices where steps[place].makesPush && !steps[place].change.isBlocked {
            guard let rule = rules[steps[place].change.name] else { continue }
            steps[place].change.blocked.append(Block(rule, Reason(.otherNotCancelled)))
        }
    }

    /// Returns the questions to the remote that must be answered before planning, besides what the state holds already.
    package static func questions(_ input: PlanInput) -> PlanQuestions {
        var questions = PlanQuestions()
        let outcomes = CampaignPlanner(input, contents: input.desired.contentDigests).outcomes()
        questions.neighbours = input.asksNeighbours
        for outcome in outcomes { questions.counts.merge(outcome.counts) { first, _ in first } }
        let steps = outcomes.flatMap(\.steps)
        for step in steps {
            switch step.operation {
            case .resume(let entry, _):
                if input.state.evidence[entry.notificationID] == nil { questions.lookUps.append(entry.notificationID) }
                if step.change.request != nil, let condition = entry.request.flatMap(input.encoder.audience) {
                    questions.counts[Digest(of: condition)] = condition
                }
            case .deliver(let entry, _), .cancel(_, let entry?):
                if let condition = entry.request.flatMap(input.encoder.audience) {
                    questions.counts[Digest(of: condition)] = condition
                }
            case .nothing, .save, .forget, .rename, .miss, .cancel(_, nil), .withdraw: break
            }
        }
        questions.counts = questions.counts.filter { input.state.audiences[$0.key] == nil }
        if input.explainsAudiences {
            // The same sends, in the same order, as those of the plan.
            let planned = steps.filter { input.selection.selects($0.change) }
            AudienceReviewer(input, steps: planned.sorted { Change.precedes($0.change, $1.change) })?.ask(&questions)
        }
        if input.state.installations == nil {
            questions.channels = input.desired.channels.filter { $0.broadcast == nil }.map(\.name)
            questions.channels += input.state.resources.filter { $0.kind == .channel }.map(\.name)
            questions.channels = Set(questions.channels).sorted()
            questions.deviceProfiles = input.desired.deviceProfiles.filter { !$0.isDefault }.map(\.installations)
        }
        return questions
    }
}

/// The input of the planner.
package struct PlanInput: Sendable {
    /// The declared state.
    package var desired: Workspace
    package var remote: RemoteDescription
    /// The remote's capabilities.
    package var capabilities: Capabilities
    /// The encoder of the remote's requests.
    package var encoder: any RequestEncoding
    /// The state read from the remote; its deliveries bear their campaigns' names in the files.
    package var state: RemoteState
    /// The deliveries that the ledger has under another name.
    let renamed: Set<DeliveryID>
    /// The time of the plan.
    package var now: Instant
    /// The selected part of the workspace.
    package var selection: Selection
    /// True if the plan must never be applied.
    package var isSimulated: Bool
    /// True if the plan is for reviewers, so that the remote is asked to break down audiences.
    package var explainsAudiences = false
    /// What is known of approvals. A plan for reviewers says what is needed; any other holds back what lacks it.
    package var approvals = ApprovalInput()

    /// Creates the input; the time is the server's clock unless given.
    package init(
        desired: Workspace, remote: RemoteDescription, capabilities: Capabilities, encoder: any RequestEncoding,
        state: RemoteState, now: Instant? = nil, selection: Selection = Selection(), isSimulated: Bool = false
    ) {
        self.desired = desired.bound(to: remote.name).endingWavesBeforeQuietHours()
        self.remote = remote
        self.capabilities = capabilities
        self.encoder = encoder
        let names = CampaignNames(desired)
        var (state, renamed) = (state, Set<DeliveryID>())
        for place in state.ledger.indices {
            let entry = names.adopting(state.ledger[place])
            guard entry.campaign != state.ledger[place].campaign else { continue }
            state.ledger[place] = entry
            renamed.insert(entry.delivery)
        }
        (self.state, self.renamed) = (state, renamed)
        self.now = now ?? state.now
        self.selection = selection
        self.isSimulated = isSimulated
    }
}

extension PlanInput {
    /// The orders that stop what is selected.
    fileprivate var stops: [StopOrder] {
        guard !selection.targets.isEmpty, !state.stops.isEmpty else { return state.stops }
        let places = desired.campaignPlaces
        return state.stops.of(
            state.ledger.filter { entry in
                let labels = places[entry.campaign].map { desired.campaigns[$0].labels } ?? [:]
                return selection.selects(.campaign, entry.campaign, labels: labels)
            })
    }
}

/// The changes that a plan is restricted to.
package struct Selection: Hashable, Sendable {
    /// The selected resources; empty for all.
    package var targets: [Target]
    /// True to select only waiting deliveries that are due, and resumes.
    package var onlyDue: Bool

    package init(targets: [Target] = [], onlyDue: Bool = false) {
        self.targets = targets
        self.onlyDue = onlyDue
    }

    /// The argument of `--target`.
    package enum Target: Hashable, Sendable {
        /// `KIND/NAME`.
        case resource(ResourceKind, String)
        /// `label=VALUE`: campaigns with a label of this value, or `NAME:VALUE` of this name and value.
        case label(String)

        /// The text that ``init(_:)`` parses.
        package var text: String {
            switch self {
            case .resource(let kind, let name): "\(kind.rawValue)/\(name)"
            case .label(let value): "label=\(value)"
            }
        }

        /// Parses `KIND/NAME` or `label=VALUE`; nil for anything else.
        package init?(_ text: String) {
            if text.hasPrefix("label="), text.count > 6 {
                self = .label(String(text.dropFirst(6)))
                return
            }
            let parts = text.split(separator: "/", maxSplits: 1)
            guard parts.count == 2,
                let kind = ResourceKind.allCases.first(where: {
                    $0.rawValue.lowercased() == parts[0].lowercased()
                })
            else { return nil }
            self = .resource(kind, String(parts[1]))
        }
    }

    func selects(_ kind: ResourceKind, _ name: String, labels: [String: String] = [:]) -> Bool {
        guard !targets.isEmpty else { return true }
        return targets.contains { target in
            switch target {
            case .resource(let wanted, let wantedName): wanted == kind && wantedName == name
            case .label(let value): labels.contains { $0.value == value || "\($0.key):\($0.value)" == value }
            }
        }
    }

    func selects(_ change: Change) -> Bool {
        switch change.action {
        case .create, .update, .delete, .schedule, .reschedule, .cancel: !onlyDue
        case .send: !onlyDue || change.after?["at"] != nil
        case .resume, .wait, .missed, .none: true
        }
    }
}

extension Workspace {
    /// The workspace in which no wave may start within the quiet hours of its devices' clocks, however late it is.
    fileprivate func endingWavesBeforeQuietHours() -> Workspace {
        guard let quiet = policy.quietHours, quiet.isByDevice else { return self }
        var workspace = self
        for index in campaigns.indices {
            guard let at = campaigns[index].localSchedule?.at, !quiet.contain(minute: at.minuteOfDay),
                let left = quiet.begin(after: at.minuteOfDay)
            else { continue }
            workspace.campaigns[index].window = min(campaigns[index].window, left)
        }
        return workspace
    }

    /// True if the files declare anything that the target selects.
    package func declares(_ target: Selection.Target) -> Bool {
        let selection = Selection(targets: [target])
        return deviceProfiles.contains { selection.selects(.deviceProfile, $0.name) }
            || channels.contains { selection.selects(.channel, $0.name) }
            || segments.contains { selection.selects(.segment, $0.name) }
            || campaigns.contains { selection.selects(.campaign, $0.name, labels: $0.labels) }
    }
}

/// Checks a workspace without any remote: the limits of each type of remote, and the policy.
package enum Checker {
    /// Returns the encoder's findings about each campaign for the remote with this name in the workspace.
    package static func findings(_ desired: Workspace, remote: String, encoder: any RequestEncoding) -> [Diagnostic] {
        let desired = desired.bound(to: remote)
        let drafting = CampaignDrafter(desired, encoder: encoder)
        // What the policy rules out is said once, however many campaigns there are.
        var seen: Set<Diagnostic> = []
        return desired.campaigns.mapConcurrently { campaign -> [Diagnostic] in
            campaign.isMeant(for: remote) ? drafting.findings(campaign).map(campaign.origin.located) : []
        }
        .flatMap { $0 }.filter { seen.insert($0).inserted }
    }

    /// Returns the request of a campaign scheduled at its time, with the encoder's findings; `notification` is the id
    /// in the request, nil for any id.
    package static func request(
        of campaign: Campaign, in desired: Workspace, encoder: any RequestEncoding, notification: DeliveryID? = nil
    ) -> EncodedPush {
        CampaignDrafter(desired, encoder: encoder).request(of: campaign, notification: notification)
    }

    /// Returns findings on certificates that expire soon, for profiles whose credentials were read.
    package static func certificateFindings(_ desired: Workspace, now: Instant) -> [Diagnostic] {
        CertificateReview(desired: desired, now: now).diagnostics().map { $0.map(\.text) }
    }

    /// Returns the findings of policy rules that need no remote.
    package static func policyFindings(_ desired: Workspace) -> [Diagnostic] {
        guard desired.remotes.values.contains(where: { $0.policy != nil }) else {
            return policyFindings(desired.campaigns, under: desired.policy)
        }
        // A campaign is judged by the policy of each remote that it is meant for.
        var seen: Set<Diagnostic> = []
        return desired.remotes.values.sorted { $0.name < $1.name }.flatMap { remote in
            policyFindings(
                desired.campaigns.filter { $0.isMeant(for: remote.name) },
                under: remote.policy?.limits ?? desired.policy)
        }
        .filter { seen.insert($0).inserted }
    }

    private static func policyFindings(_ campaigns: [Campaign], under policy: Policy) -> [Diagnostic] {
        let rules = PolicyRules(policy: policy)
        return campaigns.mapConcurrently { campaign in
            rules.offline(campaign).map { finding in
                campaign.origin.located(
                    Diagnostic(
                        .error, finding.code, finding.message, at: campaign.origin.range(of: finding.path),
                        help: finding.help))
            }
        }
        .flatMap { $0 }
    }
}
