internal import Base

/// Queries the audiences of a plan's sends for reviewers, and evaluates the answers.
struct AudienceReviewer {
    private let input: PlanInput
    private let sends: [Send]

    /// The maximum number of different audiences that a plan breaks down.
    static let mostExplained = 50
    /// The maximum number of deliveries that are compared with each other: 45 pairs.
    static let mostCompared = 10

    /// The parts of a sending change that concern its audience.
    private struct Send {
        let place: Int
        let campaign: String
        /// False for a campaign whose time has not come.
        let isSending: Bool
        /// The counted audience; nil for a list of devices, or when nobody can count it.
        let counted: CountedAudience?
        /// What it would be without the remote's fence; nil without one, or when nobody can count it.
        let unfenced: CountedAudience?
        /// The listed devices, with normalized spelling.
        let devices: Set<String>
    }

    /// Collects the sends of an ordered plan; nil when there is nothing to review.
    init?(_ input: PlanInput, steps: [Step]) {
        guard input.explainsAudiences else { return nil }
        self.input = input
        let unfenced = Self.unfencedConditions(of: input.desired)
        sends = steps.indices.compactMap { place in
            let isSending = steps[place].change.action.isSending
            guard let request = isSending ? steps[place].request : steps[place].reviewed else { return nil }
            let counted = CountedAudience(of: request, input.encoder)
            let whole = unfenced[steps[place].change.name].flatMap { condition in
                var open = request
                open.body["where"] = condition
                return CountedAudience(of: open, input.encoder)
            }
            let named = request.endpoint == .devices ? request.body["device_ids"]?.array : nil
            return Send(
                place: place, campaign: steps[place].change.name, isSending: isSending, counted: counted,
                unfenced: whole, devices: Set((named ?? []).compactMap { $0.string?.lowercased() }))
        }
        if sends.isEmpty { return nil }
    }

    /// The conditions of fenced campaigns' own audiences, by name; none for a list of devices.
    private static func unfencedConditions(of workspace: Workspace) -> [String: JSONValue] {
        let fenced = workspace.campaigns.filter { $0.fence != nil }
        guard !fenced.isEmpty else { return [:] }
        let (segments, profiles) = (workspace.segmentsByName, workspace.profilesByName)
        return fenced.reduce(into: [:]) { conditions, campaign in
            conditions[campaign.name] = campaign.audience.joinedCondition(segments: segments, profiles: profiles)
        }
    }

    // MARK: Questions

    /// Adds the questions that are not answered yet.
    func ask(_ questions: inout PlanQuestions) {
        for audience in explained where isOpen(audience.digest) && input.state.explanations[audience.digest] == nil {
            questions.explanations[audience.digest] = audience.condition
        }
        for whole in sends.prefix(Self.mostExplained).compactMap(\.unfenced) where isOpen(whole.digest) {
            if input.state.audiences[whole.digest] == nil { questions.comparisons[whole.digest] = whole.condition }
        }
        for (first, second) in pairs {
            // Equal audiences have been counted already.
            guard first.counted?.digest != second.counted?.digest, let shared = shared(first, second),
                isOpen(shared.digest)
            else { continue }
            if input.state.audiences[shared.digest] == nil { questions.comparisons[shared.digest] = shared.condition }
        }
    }

    private func isOpen(_ digest: Digest) -> Bool { input.state.unanswered[digest] == nil }

    /// The audiences to break down: the first different ones.
    private var explained: [CountedAudience] {
        var seen: Set<Digest> = []
        // Not lazily: a lazy filter may test the same audience twice.
        let audiences = sends.compactMap(\.counted).filter { seen.insert($0.digest).inserted }
        return Array(audiences.prefix(Self.mostExplained))
    }

    /// The pairs of deliveries of different campaigns among the first deliveries.
    private var pairs: [(Send, Send)] {
        let compared = Array(sends.lazy.filter(\.isSending).prefix(Self.mostCompared))
        return compared.indices.flatMap { index in
            compared[(index + 1)...].lazy.map { (compared[index], $0) }.filter { $0.campaign != $1.campaign }
        }
    }

    /// Returns the audience of the devices in both; nil when there can be none, or it is not queried.
    private func shared(_ first: Send, _ second: Send) -> CountedAudience? {
        guard let one = first.counted, let other = second.counted else { return nil }
        return one.shared(with: other, input.encoder)
    }

    // MARK: Answers

    /// Adds the answers to the changes, and returns notes on what is left out.
    func fill(_ steps: inout [Step]) -> [PlanDiagnostic] {
        let campaigns = input.desired.campaignPlaces
        let profiles = input.desired.profilesByName
        for send in sends {
            var review = steps[send.place].change.audience?.review ?? AudienceReview()
            let explanation = send.counted.flatMap { input.state.explanations[$0.digest] }
            review.explanation = explanation?.shown
            review.unfenced = send.unfenced.flatMap { input.state.audiences[$0.digest]?.devices }
            if let campaign = campaigns[send.campaign].map({ input.desired.campaigns[$0] }) {
                review.environments = review.explanation?.environments(of: campaign, profiles: profiles) ?? [:]
                if let waves = campaign.waves, let explanation {
                    review.parts = AudienceReview.Part.waves(waves, explanation)
                }
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

    /// Returns the number of devices that get both; nil when unknown.
    private func devices(in first: Send, and second: Send) -> Int? {
        if !first.devices.isEmpty, !second.devices.isEmpty { return first.devices.intersection(second.devices).count }
        return shared(first, second).flatMap { input.state.audiences[$0.digest]?.devices }
    }

    private var limits: [PlanDiagnostic] {
        var notes: [PlanDiagnostic] = []
        let known = Set(explained.map(\.digest))
        let left = sends.count { send in send.counted.map { !known.contains($0.digest) } ?? false }
        if left > 0 {
            notes.append(
                PlanDiagnostic(
                    .note, .notExplained,
                    Reason(left == 1 ? .notExplainedOne : .notExplained, .count(left), .count(Self.mostExplained))))
        }
        let number = sends.count(where: \.isSending)
        if number > Self.mostCompared {
            notes.append(
                PlanDiagnostic(
                    .note, .notExplained, Reason(.comparedFirst, .count(Self.mostCompared), .count(number))))
        }
        return notes
    }

    /// One diagnostic for all questions that the remote did not answer.
    private var failures: [PlanDiagnostic] {
        let asked = Set(explained.map(\.digest)).union(pairs.compactMap { shared($0, $1)?.digest })
        let open = asked.filter { !isOpen($0) }.sorted()
        guard let first = open.first, let reason = input.state.unanswered[first] else { return [] }
        return [
            PlanDiagnostic(
                .note, .notExplained,
                open.count == 1
                    ? Reason(.unexplained, .text(reason))
                    : Reason(.unexplainedAndMore, .count(open.count - 1), .text(reason)))
        ]
    }
}

extension Step {
    /// The request of the step's push; nil when it makes none.
    fileprivate var request: PushRequest? {
        switch operation {
        case .deliver(let entry, _), .cancel(_, let entry?): entry.request
        case .nothing, .save, .forget, .rename, .miss, .cancel(_, nil), .withdraw, .resume: nil
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
    /// Adds the campaign's last delivery to each sending change.
    func noteLastDeliveries(of workspace: Workspace, in steps: inout [Step]) {
        let campaigns = workspace.campaignPlaces
        for place in steps.indices where steps[place].change.action.isSending && steps[place].request != nil {
            guard let campaign = campaigns[steps[place].change.name] else { continue }
            steps[place].change.audience?.review.lastDelivery = lastDelivery(of: workspace.campaigns[campaign])
        }
    }

    /// Returns the newest delivery of a campaign, that has figures.
    fileprivate func lastDelivery(of campaign: Campaign) -> AudienceReview.LastDelivery? {
        entries(named: campaign.name).compactMap { entry in
            guard entry.state == .sent, let figures = entry.figures else { return nil }
            return AudienceReview.LastDelivery(
                revision: entry.revision, at: max(entry.attemptedAt, entry.scheduledAt ?? entry.attemptedAt),
                devices: figures.audience - figures.missed)
        }
        .max { ($0.at, $0.revision) < ($1.at, $1.revision) }
    }
}

extension AudienceCount {
    /// Returns the number of devices in each of Apple's environments.
    ///
    /// A device's profile determines its environment; one without a profile uses the campaign's, and Android devices
    /// are in neither. The environment of profiles that no file declares is unknown.
    fileprivate func environments(of campaign: Campaign, profiles: [String: DeviceProfile]) -> [PushEnvironment: Int] {
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

/// An audience that a remote counts, identified by its hash.
struct CountedAudience {
    let digest: Digest
    let condition: JSONValue

    /// Creates an audience from an encoder's condition.
    init(_ condition: JSONValue) {
        digest = Digest(of: condition)
        self.condition = condition
    }

    /// Creates the audience of a request; nil for a list of devices, or when nobody can count it.
    init?(of request: PushRequest, _ encoder: any RequestEncoding) {
        guard let condition = encoder.audience(of: request) else { return nil }
        self.init(condition)
    }

    /// Returns the audience of the devices in both; nil when there can be none.
    ///
    /// The result does not depend on the order.
    func shared(with other: CountedAudience, _ encoder: any RequestEncoding) -> CountedAudience? {
        if digest == other.digest { return self }
        let (low, high) = digest < other.digest ? (self, other) : (other, self)
        return encoder.sharedAudience(low.condition, high.condition).map { CountedAudience($0) }
    }
}
