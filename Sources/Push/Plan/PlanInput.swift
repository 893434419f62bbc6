internal import Base

/// The input of the planner.
package struct PlanInput: Sendable {
    /// The declared state.
    package var desired: Workspace
    /// The remote.
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
        self.desired = desired.endingWavesBeforeQuietHours()
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
