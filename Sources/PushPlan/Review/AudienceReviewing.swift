internal import Diagnostics
internal import JSONValue
internal import PushModel

/// What a plan for reviewers asks about the audiences of its sends, and what it makes of the answers.
struct AudienceReviewing {
    private let input: PlanInput
    private let sends: [Send]

    /// Different audiences that a plan asks to be taken apart, at most.
    static let mostExplained = 50
    /// Deliveries that are compared with each other, at most: 45 pairs.
    static let mostCompared = 10

    /// A change that makes a push, as far as its audience matters.
    private struct Send {
        let place: Int
        let campaign: String
        /// The audience that is counted; nil: it names its devices, or nobody can count it.
        let counted: CountedAudience?
        /// The devices that it names, spelled alike.
        let devices: Set<String>
    }

    /// Looks at the sends of a plan, which stand in order; nil: there is nothing to review.
    init?(_ input: PlanInput, steps: [Step]) {
        guard input.explainsAudiences else { return nil }
        self.input = input
        sends = steps.indices.compactMap { place in
            guard steps[place].change.action.isSending, let request = steps[place].request else { return nil }
            let counted = CountedAudience(of: request, input.encoder)
            let named = request.endpoint == .devices ? request.body["device_ids"]?.array : nil
            return Send(
                place: place, campaign: steps[place].change.name, counted: counted,
                devices: Set((named ?? []).compactMap { $0.string?.lowercased() }))
        }
        if sends.isEmpty { return nil }
    }

    // MARK: Questions

    /// Adds what is not answered yet.
    func ask(_ questions: inout PlanQuestions) {
        for audience in explained where isOpen(audience.digest) && input.state.explanations[audience.digest] == nil {
            questions.explanations[audience.digest] = audience.condition
        }
        for (first, second) in pairs {
            // Equal audiences were counted.
            guard first.counted?.digest != second.counted?.digest, let shared = shared(first, second),
                isOpen(shared.digest)
            else { continue }
            if input.state.audiences[shared.digest] == nil { questions.shared[shared.digest] = shared.condition }
        }
    }

    private func isOpen(_ digest: Digest) -> Bool { input.state.unanswered[digest] == nil }

    /// The first different audiences.
    private var explained: [CountedAudience] {
        var seen: Set<Digest> = []
        // Not lazily: a lazy filter may ask twice about one audience.
        let audiences = sends.compactMap(\.counted).filter { seen.insert($0.digest).inserted }
        return Array(audiences.prefix(Self.mostExplained))
    }

    /// Deliveries of different campaigns among the first.
    private var pairs: [(Send, Send)] {
        let compared = sends.prefix(Self.mostCompared)
        return compared.indices.flatMap { index in
            compared[(index + 1)...].lazy.map { (compared[index], $0) }.filter { $0.campaign != $1.campaign }
        }
    }

    /// The audience of the devices that get both; nil: none can, or it is not asked.
    private func shared(_ first: Send, _ second: Send) -> CountedAudience? {
        guard let one = first.counted, let other = second.counted else { return nil }
        return one.shared(with: other, input.encoder)
    }

    // MARK: Answers

    /// Writes into the changes what is known, and says what is left out.
    func fill(_ steps: inout [Step]) -> [Diagnostic] {
        let campaigns = input.desired.campaignPlaces
        let profiles = input.desired.profilesByName
        for send in sends {
            var review = AudienceReview()
            review.explanation = send.counted.flatMap { input.state.explanations[$0.digest] }
            if let campaign = campaigns[send.campaign].map({ input.desired.campaigns[$0] }) {
                review.environments = review.explanation?.environments(of: campaign, profiles: profiles) ?? [:]
            }
            steps[send.place].change.audience?.review = review
        }
        for (first, second) in pairs {
            guard let devices = devices(in: first, and: second), devices > 0 else { continue }
            steps[first.place].add(AudienceReview.Overlap(campaign: second.campaign, devices: devices))
            steps[second.place].add(AudienceReview.Overlap(campaign: first.campaign, devices: devices))
        }
        for send in sends.prefix(Self.mostCompared) { steps[send.place].sortOverlaps() }
        return limits + failures
    }

    /// How many devices get both; nil: not known.
    private func devices(in first: Send, and second: Send) -> Int? {
        if !first.devices.isEmpty, !second.devices.isEmpty { return first.devices.intersection(second.devices).count }
        return shared(first, second).flatMap { input.state.audiences[$0.digest]?.devices }
    }

    private var limits: [Diagnostic] {
        var notes: [Diagnostic] = []
        let known = Set(explained.map(\.digest))
        let left = sends.count { send in send.counted.map { !known.contains($0.digest) } ?? false }
        if left > 0 {
            notes.append(
                Diagnostic(
                    .note, .notExplained,
                    "the audiences of \(grouped(left)) deliver\(left == 1 ? "y" : "ies") are not taken apart: a plan "
                        + "does so for \(Self.mostExplained)"))
        }
        if sends.count > Self.mostCompared {
            notes.append(
                Diagnostic(
                    .note, .notExplained,
                    "only the first \(Self.mostCompared) of \(grouped(sends.count)) deliveries are looked at for "
                        + "devices that they share"))
        }
        return notes
    }

    /// What the remote did not answer, once.
    private var failures: [Diagnostic] {
        let asked = Set(explained.map(\.digest)).union(pairs.compactMap { shared($0, $1)?.digest })
        let open = asked.filter { !isOpen($0) }.sorted()
        guard let first = open.first, let reason = input.state.unanswered[first] else { return [] }
        let others = open.count == 1 ? "" : " (and of \(grouped(open.count - 1)) more)"
        return [
            Diagnostic(
                .note, .notExplained,
                "what an audience\(others) is made of is not known, although it was counted: \(reason)")
        ]
    }
}

extension Step {
    /// The request of the push that it makes; nil: it makes none.
    fileprivate var request: PushRequest? {
        switch operation {
        case .deliver(let entry, _), .cancel(_, let entry?): entry.request
        case .nothing, .save, .forget, .cancel(_, nil), .withdraw, .resume: nil
        }
    }

    fileprivate mutating func add(_ overlap: AudienceReview.Overlap) {
        change.audience?.review.overlaps.append(overlap)
    }

    fileprivate mutating func sortOverlaps() {
        change.audience?.review.overlaps.sort { ($1.devices, $0.campaign) < ($0.devices, $1.campaign) }
    }
}

extension CampaignHistory {
    /// Writes into what sends when its campaign was last delivered, and to how many devices.
    func noteLastDeliveries(of workspace: Workspace, in steps: inout [Step]) {
        let campaigns = workspace.campaignPlaces
        for place in steps.indices where steps[place].change.action.isSending && steps[place].request != nil {
            guard let campaign = campaigns[steps[place].change.name] else { continue }
            steps[place].change.audience?.review.lastDelivery = lastDelivery(of: workspace.campaigns[campaign])
        }
    }

    /// The newest delivery of a campaign, under any of its names, whose devices were counted.
    fileprivate func lastDelivery(of campaign: Campaign) -> AudienceReview.LastDelivery? {
        entries(of: campaign).compactMap { entry in
            guard entry.state == .sent, let figures = entry.figures else { return nil }
            return AudienceReview.LastDelivery(
                revision: entry.revision, at: max(entry.attemptedAt, entry.scheduledAt ?? entry.attemptedAt),
                devices: figures.audience)
        }
        .max { ($0.at, $0.revision) < ($1.at, $1.revision) }
    }
}

extension AudienceExplanation {
    /// How many of the devices are in each of Apple's environments.
    ///
    /// A device's profile says where it is; one that bears none is reached where the campaign says, and of Android
    /// nothing is in either. Devices of profiles that no file declares are in none that is known.
    fileprivate func environments(
        of campaign: Campaign, profiles: [String: DeviceProfile]
    ) -> [PushEnvironment: Int] {
        var environments: [PushEnvironment: Int] = [:]
        var apple = devices - (platforms[Platform.android.rawValue] ?? 0)
        for (name, count) in deviceProfiles {
            guard !name.isEmpty, let profile = profiles[name] else { continue }
            environments[profile.environment, default: 0] += count
            apple -= count
        }
        let unnamed = min(deviceProfiles[""] ?? 0, apple)
        if unnamed > 0 { environments[campaign.environment, default: 0] += unnamed }
        return environments
    }
}
