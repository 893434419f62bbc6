internal import Base

/// Makes plans: a pure function of the files, the remote's state and an instant.
package enum Planner {
    /// A plan with the operations of its changes.
    package struct Result: Sendable {
        /// The plan, which is shown, saved and compared.
        package var plan: Plan
        /// The same changes in the same order, with their operations.
        package var steps: [Step]
        /// What the apply must know of approvals.
        package var approvals: ApprovalOutcome
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
        steps.removeAll { !input.selection.selects($0.change) }
        if let doubt = input.workspaceDoubt {
            for place in steps.indices where steps[place].change.action.isChange {
                steps[place].change.blocked.append(doubt)
            }
        }
        ApplyLimits(policy: input.desired.policy, hasCampaigns: !input.desired.campaigns.isEmpty)
            .block(&steps, sendingResumes: sendingResumes)
        // After the limits: they count what would be sent if it were approved, so that approvals block nothing else.
        let approvals = ApprovalJudge(input, contents: contents).judge(&steps)
        steps.sort { Change.precedes($0.change, $1.change) }
        if let review = AudienceReviewer(input, steps: steps) { diagnostics += review.fill(&steps) }
        campaigns.history.noteLastDeliveries(of: input.desired, in: &steps)
        // Added after the audiences, since collisions and local times depend on their devices.
        let calendar = CalendarPlanner(input, steps: steps, sendingResumes: sendingResumes)
        let (entries, remarks) = calendar.calendar()
        let certificates = CertificatePlanner(desired: input.desired, now: input.now)
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
        if input.desired.app != ShownApp(name: input.desired.name) { plan.app = input.desired.app }
        plan.calendar = entries
        plan.certificates = certificates
        return Result(plan: plan, steps: steps, approvals: approvals)
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
            questions.deviceProfiles = input.desired.deviceProfiles.filter { !$0.isDefault }.map(\.name)
        }
        return questions
    }
}
