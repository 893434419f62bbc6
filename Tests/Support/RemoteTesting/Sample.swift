package import Base
package import Push

/// Small values that tests are made of.
package enum Sample {
    /// 2026-11-20T12:00:00Z: when every fake service begins.
    package static let start = Instant(seconds: 1_795_176_000)

    /// A remote's description.
    package static func remote(_ name: String = "production") -> RemoteDescription {
        RemoteDescription(
            name: name, type: .leancloud, title: "LeanCloud · push.example.com", fingerprint: Digest(of: "remote"))
    }

    /// The capabilities of LeanCloud.
    package static func capabilities(canSchedule: Bool = true, keepsJournal: Bool = false) -> Capabilities {
        Capabilities(
            canSchedule: canSchedule, holdsResources: false, innerQueryLimit: 1000, limitsDevelopment: true,
            canSelectUnprofiled: false, keepsJournal: keepsJournal)
    }

    /// The place where a campaign of this name is declared.
    package static func origin(_ name: String) -> Origin { Origin(file: "campaigns/\(name).yaml", line: 1) }

    /// A campaign that may be sent: a channel, a text, an expiration.
    package static func campaign(
        _ name: String, revision: Int = 1, at: Instant? = nil, text: String = "It's now 2-2.",
        change: (inout Campaign) -> Void = { _ in }
    ) -> Campaign {
        var content = MessageContent()
        content.body = .text(text)
        var campaign = Campaign(
            name: name, origin: origin(name), revision: revision, audience: Audience(channels: ["Giants"]),
            message: Message(common: content), scheduledAt: at.map { OffsetInstant($0) },
            expiration: .after(.seconds(7 * 86_400)))
        change(&campaign)
        return campaign
    }

    /// A workspace named `giants`.
    package static func workspace(
        _ campaigns: [Campaign] = [], change: (inout Workspace) -> Void = { _ in }
    ) -> Workspace {
        var workspace = Workspace(name: "giants", origin: Origin(file: "bugle.yaml", line: 1), campaigns: campaigns)
        change(&workspace)
        return workspace
    }

    /// The input of a plan, for a remote's state.
    package static func input(
        _ workspace: Workspace, _ state: RemoteState, now: Instant? = nil, encoder: any RequestEncoding = FakeEncoder(),
        canSchedule: Bool = true, keepsJournal: Bool = false, selection: Selection = Selection(),
        isSimulated: Bool = false
    ) -> PlanInput {
        PlanInput(
            desired: workspace, remote: remote(),
            capabilities: capabilities(canSchedule: canSchedule, keepsJournal: keepsJournal),
            encoder: encoder, state: state, now: now, selection: selection, isSimulated: isSimulated)
    }

    /// The id of a delivery of the workspace `giants`.
    package static func delivery(_ campaign: String, revision: Int = 1, generation: Int = 0) -> DeliveryID {
        DeliveryID(workspace: "giants", campaign: campaign, revision: revision, generation: generation)
    }
}

/// Finds fields at files that name their path.
package struct PathLocator: FieldLocating {
    /// Makes one.
    package init() {}

    package func range(of path: [FieldPathElement]) -> SourceRange {
        let name = path.map { element in
            switch element {
            case .key(let key): key
            case .index(let index): String(index)
            }
        }.joined(separator: ".")
        return SourceRange(file: name, start: SourcePosition(line: 1, column: 1))
    }
}
