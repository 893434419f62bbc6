internal import Base

/// A message to an audience, at a time.
package struct Campaign: Sendable {
    package var name: String
    /// The place of the declaration.
    package var origin: Origin
    /// The campaign's purpose.
    package var description: String?
    /// The revision, from 1; raised to deliver once more.
    package var revision: Int
    /// Former names, the oldest first; delivery ids are made of the oldest.
    package var formerly: [String]
    /// True while the campaign is held back.
    package var hold: Bool
    /// Labels for targets and reports.
    package var labels: [String: String] = [:]
    /// The remotes to deploy to; nil: all.
    package var remotes: [String]?
    /// Apple's environment: the campaign's own, else the profile's, else production.
    package var environment: PushEnvironment
    /// The devices to reach.
    package var audience: Audience
    /// The content to show.
    package var message: Message
    /// The time to send; nil: as soon as the campaign is applied.
    package var scheduledAt: OffsetInstant?
    /// The rule by which it is sent again and again; nil: it is sent once.
    package var recurrence: Recurrence?
    /// The occurrence that the value stands for: ``occurrence(_:)`` makes one of a recurring campaign.
    package var occurrence = Occurrence.once
    /// The time that each device's own clock shows when it is sent to; nil: everybody at one instant.
    package var localSchedule: LocalSchedule?
    /// The delay within which sending may still start; 1 hour by default.
    package var window: Duration
    /// The time the service keeps trying; nil: not specified.
    package var expiration: Expiration?
    /// The stages of its delivery; nil: everybody at once.
    package var rollout: Rollout?
    /// The variants of its message, in the order of their names; empty: everybody gets the same.
    package var variants: [Variant] = []
    /// The time after a test of variants by which somebody chooses; nil: not specified.
    package var decideBy: Duration?
    /// The variant that the rest gets when nobody has chosen, or `abandon`; nil: not specified.
    package var otherwise: String?
    /// The variant that the rest gets; nil: nobody has chosen yet.
    package var winner: String?
    /// The handling of tokens whose response was lost.
    package var inDoubt: InDoubt
    /// The sending rate in devices per second.
    package var throttlePerSecond: Int?
    /// The campaign's own limit on its audience.
    package var maxAudience: Int?
    /// The smallest audience that is sent to; 1 by default.
    package var minAudience = 1
    /// The field of an installation that names its language, as the workspace's policy has it; nil: none does.
    package var languageField: String?
    /// The share of devices that it does not reach, as the policy has it; nil: none, or the campaign is exempt.
    package var holdout: Holdout?
    /// The limits on the deliveries to one device, as the policy has them, without those from which it is exempt.
    package var frequency: [FrequencyRule] = []
    /// The retention of the events that devices report of it, as the workspace's policy has it; nil: it takes none.
    package var events: EventPolicy?
    /// The fence of the remote that it is deployed to, which no campaign lifts; nil: none.
    package var fence: Audience?
    /// The parts that it was put together from, by name; what they gave it counts, not that they did.
    package var parts: [String] = []

    /// The handling of tokens whose response was lost; only for pushes straight to Apple.
    package enum InDoubt: String, Hashable, Sendable, CaseIterable {
        /// The tokens are left and counted.
        case leave
        /// The push is sent again under the same collapse id.
        case resend
    }

    package init(
        name: String, origin: Origin, description: String? = nil, revision: Int = 1, formerly: [String] = [],
        hold: Bool = false, environment: PushEnvironment = .production, audience: Audience, message: Message,
        scheduledAt: OffsetInstant? = nil, window: Duration = .seconds(3600), expiration: Expiration? = nil,
        inDoubt: InDoubt = .leave, throttlePerSecond: Int? = nil
    ) {
        self.name = name
        self.origin = origin
        self.description = description
        self.revision = revision
        self.formerly = formerly
        self.hold = hold
        self.environment = environment
        self.audience = audience
        self.message = message
        self.scheduledAt = scheduledAt
        self.window = window
        self.expiration = expiration
        self.inDoubt = inDoubt
        self.throttlePerSecond = throttlePerSecond
    }

    /// The name that delivery ids are made of: the oldest it ever had.
    package var identityName: String { formerly.first ?? name }

    /// Every name under which the ledger may know the campaign.
    package var names: [String] { [name] + formerly }

    /// True when the campaign is meant for this remote.
    package func isMeant(for remote: String) -> Bool { remotes?.contains(remote) ?? true }
}

extension Campaign {
    /// The revisions that every ledger keeps exactly: a service may store numbers as JavaScript does.
    private static let revisions = 1...Int(JSONValue.naturals.upperBound)

    package static let fields = FieldTable<Self>(
        "Campaign", "A message to an audience, at a time", "推送活动：在某个时间把一条消息发给一批受众",
        blank: blank, rules: rules,
        more: [
            FieldSpec(
                "use", .list(of: .name(.resource)),
                "The parts that it is made of; each overrides those before it, and the campaign all of them",
                "由哪些部件组成；后面的覆盖前面的，推送活动自己的字段覆盖所有部件")
        ],
        [
            .kind("Campaign"),
            FieldRow(
                required: "name", .name(.resource), "The campaign's name; part of its identity", "推送活动的名称；是其标识的一部分",
                { $0.name }, { $0.name = $1 }),
            .description({ $0.description }, { $0.description = $1 }),
            FieldRow(
                "revision", .integer(.integer(revisions)), default: "1", "Raise it to deliver the campaign once more",
                "有意再发一次时，把它加一", unless: 1, { $0.revision }, { $0.revision = $1 }),
            FieldRow(
                "formerly", .list(.list(of: .name(.resource))),
                "Former names, the oldest first; their deliveries count as its own", "曾用名，最早的在前；以这些名称做过的投递都算它的",
                unless: [], { $0.formerly }, { $0.formerly = $1 }),
            FieldRow(
                "hold", .flag, default: "false", "Hold the campaign back; a pending delivery is cancelled",
                "是否暂停；尚未发出的定时推送会被取消", unless: false, { $0.hold }, { $0.hold = $1 }),
            FieldRow(
                "labels", .texts(keys: .label), "For --target and reports", "供 --target 与报告使用的标签", unless: [:],
                { $0.labels }, { $0.labels = $1 }),
            FieldRow(
                "remotes", .list(.list(of: .name(.remote))), default: "all", "The remotes to deploy to", "要部署到的远端",
                { $0.remotes }, { $0.remotes = $1 }),
            // With a profile, production is written too: the profile could decide otherwise.
            FieldRow(
                "environment", .choice(PushEnvironment.self),
                default: "that of audience.deviceProfile, else production",
                "Apple's environment", "Apple 的推送环境",
                { $0.environment == .production && $0.audience.deviceProfile == nil ? nil : $0.environment },
                { $0.environment = $1 }),
            FieldRow(
                required: "audience", .map(Audience.fields), "The devices to reach", "推送给谁", { $0.audience },
                { $0.audience = $1 }),
            FieldRow(required: "message", .message, "The content to show", "显示什么", { $0.message }, { $0.message = $1 }),
            FieldRow(
                "schedule", "The time to send; without it, as soon as it is applied", "发送时间；不写则在 apply 时立即发送",
                inside: schedule),
            FieldRow(
                "expiration", .expiration, "The time that the service keeps trying; never: as long as it can",
                "有效期，即服务尝试投递多久；never 表示尽可能久", { $0.expiration }, { $0.expiration = $1 }),
            FieldRow(
                "rollout", .map(Rollout.fields), "Stages, each of which is judged before the next one starts",
                "分阶段发布：每一阶段判定通过后才开始下一阶段", { $0.rollout }, { $0.rollout = $1 }),
            FieldRow(
                "variants", .variants,
                "Variants of the message, tested on shares of the audience; straight to Apple only",
                "消息的不同变体，各在一部分受众上测试；仅限直连 Apple", unless: [], { $0.variants }, { $0.variants = $1 }),
            FieldRow(
                "decideBy", .duration, "The time after the test of variants by which a winner is named",
                "变体测试结束后，最迟多久选定胜出的变体", { $0.decideBy }, { $0.decideBy = $1 }),
            FieldRow(
                "otherwise", .name(.label), "The variant that the rest gets when nobody named a winner, or abandon",
                "到期未选定时，其余设备收到哪个变体；abandon 表示不再发送", { $0.otherwise }, { $0.otherwise = $1 }),
            FieldRow(
                "winner", .name(.label), "The variant that the rest gets; named after the test", "其余设备收到的变体；测试之后填写",
                { $0.winner }, { $0.winner = $1 }),
            FieldRow(
                "inDoubt", .choice(InDoubt.self), default: "leave",
                "Straight to Apple: the treatment of tokens whose answer was lost; resend needs a collapseId",
                "直连 Apple 时：没有收到应答的设备如何处理；resend 要求设置 collapseId", unless: .leave, { $0.inDoubt }, { $0.inDoubt = $1 }),
            FieldRow("throttle", "The sending rate", "限速发送", inside: throttle),
            FieldRow("limits", "This campaign's own limits", "本推送活动自己的上限", inside: limits),
        ])

    /// Creates a campaign from the values its document sets.
    package init(_ values: [FieldValue?], origin: Origin) {
        self = Self.fields.partialRecord(of: values)
        self.origin = origin
    }

    static let blank = Campaign(
        name: "", origin: Origin(file: "", line: 1), audience: Audience(), message: Message(common: MessageContent()))

    private static let throttle = FieldTable<Self>(
        "Campaign.throttle", "The sending rate", "限速发送", blank: blank,
        [
            FieldRow(
                required: "perSecond", .positive, "Devices a second; LeanCloud counts less than 1,000 as 1,000",
                "每秒推送的设备数；LeanCloud 把小于 1,000 的值按 1,000 处理", { $0.throttlePerSecond },
                { $0.throttlePerSecond = $1 })
        ])

    private static let limits = FieldTable<Self>(
        "Campaign.limits", "This campaign's own limits", "本推送活动自己的上限", blank: blank,
        [
            FieldRow(
                "maxAudience", .count, "Devices it may reach; the narrower of this and the policy's holds",
                "最多触达的设备数；与 policy 中的上限取较小者", { $0.maxAudience }, { $0.maxAudience = $1 }),
            FieldRow(
                "minAudience", .count, default: "1",
                "With fewer devices it is not sent: an empty audience is usually a typing error",
                "设备数少于它就不发送：受众为空通常是写错了", unless: 1, { $0.minAudience }, { $0.minAudience = $1 }),
        ])

    /// The constraints between a campaign's fields.
    private static var rules: [FieldRule] {
        [
            .when(
                .equals(["inDoubt"], .string(InDoubt.resend.rawValue)),
                .anyOf([.has(["message", "collapseId"]), .has(["message", "ios", "collapseId"])])),
            .when(.has(["audience", "devices"]), .lacks(["throttle"])),
        ] + Message.pushTypeRules
    }
}

/// The campaigns' names in the files, and which campaign a delivery recorded under another name belongs to.
package struct CampaignNames: Sendable {
    private let declared: Set<String>
    private let heirs: [String: String]

    package init(_ workspace: Workspace) {
        declared = Set(workspace.campaigns.lazy.map(\.name))
        heirs = Dictionary(
            workspace.campaigns.lazy.filter { !$0.formerly.isEmpty }.flatMap { campaign in
                campaign.formerly.map { ($0, campaign.name) }
            }
        ) { first, _ in first }
    }

    /// Returns the delivery under its campaign's name in the files: the one it bears, else of the campaign that says that
    /// it had this name, else one that the ledger says it had before; unchanged when the files have none of them.
    package func adopting(_ entry: LedgerEntry) -> LedgerEntry {
        if declared.contains(entry.campaign) { return entry }
        for former in [entry.campaign] + entry.formerly.reversed() {
            if let name = heirs[former] ?? (declared.contains(former) ? former : nil) { return entry.renamed(to: name) }
        }
        return entry
    }
}
