internal import JSONValue
package import PushModel

/// Everything a plan is made from, as values.
package struct PlanInput: Sendable {
    /// What the files declare.
    package var desired: Workspace
    /// Which remote.
    package var remote: RemoteDescription
    /// What the remote can do.
    package var capabilities: Capabilities
    /// Makes the remote's requests.
    package var encoder: any RequestEncoding
    /// What the remote told.
    package var state: RemoteState
    /// The instant the plan is made for.
    package var now: Instant
    /// What part of the workspace is looked at.
    package var selection: Selection
    /// Whether the plan is never to be applied.
    package var isSimulated: Bool
    /// Whether the plan is for reviewers, so that the remote is asked what its audiences are made of.
    package var explainsAudiences = false

    /// Joins them; the instant is the server's clock unless another is given.
    package init(
        desired: Workspace, remote: RemoteDescription, capabilities: Capabilities, encoder: any RequestEncoding,
        state: RemoteState, now: Instant? = nil, selection: Selection = Selection(), isSimulated: Bool = false
    ) {
        self.desired = desired
        self.remote = remote
        self.capabilities = capabilities
        self.encoder = encoder
        self.state = state
        self.now = now ?? state.now
        self.selection = selection
        self.isSimulated = isSimulated
    }
}

/// Which changes a plan is restricted to.
package struct Selection: Hashable, Sendable {
    /// Only these resources; empty: all.
    package var targets: [Target]
    /// Only waiting deliveries that are due, and resumes.
    package var onlyDue: Bool

    /// Joins the two.
    package init(targets: [Target] = [], onlyDue: Bool = false) {
        self.targets = targets
        self.onlyDue = onlyDue
    }

    /// What `--target` names.
    package enum Target: Hashable, Sendable {
        /// `KIND/NAME`.
        case resource(ResourceKind, String)
        /// `label=VALUE`: campaigns with a label of this value, or `NAME:VALUE` of this name and value.
        case label(String)

        /// The target as ``init(_:)`` reads it.
        package var text: String {
            switch self {
            case .resource(let kind, let name): "\(kind.rawValue)/\(name)"
            case .label(let value): "label=\(value)"
            }
        }

        /// Reads `KIND/NAME` or `label=VALUE`; nil when it is neither.
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
    /// Whether the files declare anything that a target names.
    package func declares(_ target: Selection.Target) -> Bool {
        let selection = Selection(targets: [target])
        return deviceProfiles.contains { selection.selects(.deviceProfile, $0.name) }
            || channels.contains { selection.selects(.channel, $0.name) }
            || segments.contains { selection.selects(.segment, $0.name) }
            || campaigns.contains { selection.selects(.campaign, $0.name, labels: $0.labels) }
    }
}
