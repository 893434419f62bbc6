import Base
import BaseTesting
import Push
import Testing
import YAML

/// The schema and `validate` say the same of every document that the other tests of this module know.
@Suite struct SchemaRuleTests {
    private let schema: JSONSchema

    init() throws { schema = try JSONSchema(ConfigurationSchema.document.unordered) }

    private func violations(_ text: String) -> [SchemaViolation] { Self.violations(of: text, schema) }

    /// What of a text's documents does not fit, as an editor sees them.
    static func violations(of text: String, _ schema: JSONSchema) -> [SchemaViolation] {
        var diagnostics: [Diagnostic] = []
        return DocumentParser.parse(Array(text.utf8), file: "x").documents
            .flatMap { schema.violations(of: $0.root.json(reportingTo: &diagnostics)) }
    }

    @Test func theSchemaIsTheSameEachTime() {
        #expect(ConfigurationSchema.document.bytes == ConfigurationSchema.document.bytes)
    }

    @Test func whatValidateAcceptsFits() {
        for text in Self.valid { #expect(violations(text) == [], "\(text)") }
    }

    @Test func everyExampleFits() throws {
        for example in try LayoutTests.examples() {
            for file in example { #expect(violations(file.text) == [], "\(file.path)") }
        }
    }

    @Test func whatValidateRefusesDoesNotFit() {
        for text in Self.broken where Self.untold[text] == nil {
            #expect(!violations(text).isEmpty, "\(text)")
        }
    }

    /// The list is exact: what it holds cannot be told by one document's schema, with the reason.
    @Test func whatASchemaCannotTellFits() {
        let known = Set(Self.broken)
        for text in Self.untold.keys.sorted() {
            #expect(known.contains(text), "no test has this text any more: \(text)")
            #expect(violations(text) == [], "\(text)")
        }
    }

    // MARK: Documents

    /// Documents without errors.
    static var valid: [String] {
        [
            SampleFiles.workspace, SampleFiles.resources, CompleteWorkspaceTests.workspace,
            CompleteWorkspaceTests.resources,
            CompleteWorkspaceTests.campaign, CompleteWorkspaceTests.activity, "kind: Workspace\nname: giants\n",
        ]
            + AudienceRuleTests.valid.map { AudienceRuleTests.campaign($0) }
            + CampaignRuleTests.valid.map { CampaignRuleTests.head + $0 }
            + RecurrenceRuleTests.valid.map { RecurrenceRuleTests.campaign($0) }
            + (MessageRuleTests.valid + MessageRuleTests.validActivities).map { MessageRuleTests.campaign($0) }
            + MessageRuleTests.validOnAndroid.map { MessageRuleTests.campaign($0, platforms: "android") }
            + RemoteRuleTests.valid.map(RemoteRuleTests.workspace)
            + RemoteRuleTests.validAddresses.map(address) + RemoteRuleTests.validSecrets.map(secret)
            + ConditionRuleTests.valid.map { ConditionRuleTests.segment($0.text) }
            + ResourceRuleTests.channelNames.map { "kind: Channel\nname: '\($0)'\n" } + WorkspaceRuleTests.empty
            + [PartRuleTests.workspace] + PartRuleTests.documents
    }

    /// Documents with errors, each for one rule.
    static var broken: [String] {
        AudienceRuleTests.broken.map { AudienceRuleTests.campaign($0.text) }
            + [AudienceRuleTests.campaign("{devices: [ab], platforms: [ios]}", more: "throttle: {perSecond: 10}\n")]
            + CampaignRuleTests.broken.map { CampaignRuleTests.head + $0.text }
            + RecurrenceRuleTests.broken.map { RecurrenceRuleTests.campaign($0.text) }
            + (MessageRuleTests.broken + MessageRuleTests.brokenTypes + MessageRuleTests.brokenActivities)
            .map { MessageRuleTests.campaign($0.text) }
            + RemoteRuleTests.broken.map { RemoteRuleTests.workspace($0.text) }
            + RemoteRuleTests.brokenAddresses.map { address("'\($0.url)'") }
            + RemoteRuleTests.brokenSecrets.map { secret($0.text) }
            + ResourceRuleTests.brokenProfiles.map { ResourceRuleTests.profile("a", $0.text) }
            + ResourceRuleTests.brokenProfileNames.map { name in
                ResourceRuleTests.profile(name, "topic: a.b\n" + ResourceRuleTests.certificate)
            }
            + ResourceRuleTests.brokenChannels.map { "kind: Channel\nname: Mets\n" + $0.text }
            + ResourceRuleTests.brokenChannelNames.map { "kind: Channel\nname: '\($0)'\n" }
            + ResourceRuleTests.brokenSegments.map { "kind: Segment\nname: s\n" + $0.text }
            + ConditionRuleTests.broken.map { ConditionRuleTests.segment($0.text) }
            + WorkspaceRuleTests.broken.map { WorkspaceRuleTests.head + $0.text + "\n" }
            + WorkspaceRuleTests.withoutKind.map(\.text)
            + PartRuleTests.brokenParts.map { "kind: Part\nname: a\n" + $0.text }
            + [
                "kind: Workspace\nname: a\nremotes:\n  a: {type: apns, registry: {sqlite: a}}\n"
                    + "  b: {type: apns, registry: {sqlite: b}}\n"
            ]
    }

    private static func address(_ value: String) -> String { RemoteRuleTests.leancloud("appId: a, url: \(value)") }

    private static func secret(_ value: String) -> String {
        RemoteRuleTests.workspace("{type: leancloud, appId: a, url: 'https://a', masterKey: \(value)}")
    }

    /// Broken documents that fit the schema, with what it would have to know.
    static let untold: [String: String] = [
        MessageRuleTests.campaign("{contentAvailable: true, data: {a: 1}, languages: {de: {body: b}}}"):
            "the push type that fields make",
        MessageRuleTests.campaign("{body: 'Hi {{name}}'}"): "the form of a personal text",
        MessageRuleTests.campaign("{body: 'Hi {{name|'}"): "the form of a personal text",
        MessageRuleTests.campaign("{body: 'Hi {{first name|x}}'}"): "the form of a personal text",
        MessageRuleTests.campaign("{body: a, data: {x: ['{{}}']}}"): "the form of a personal text",
        MessageRuleTests.campaign("{body: a, category: '{{name|x}}'}"): "the form of a personal text",
        MessageRuleTests.campaign("{body: a, ios: {body: '{{n}}'}}"): "the form of a personal text",
        AudienceRuleTests.campaign("{channels: [Giant]}"): "what other documents declare",
        AudienceRuleTests.campaign("{segments: [nobody]}"): "what other documents declare",
        AudienceRuleTests.campaign("{deviceProfile: drivr}"): "what other documents declare",
        AudienceRuleTests.campaign("{devices: [AB, ab], platforms: [ios]}"): "how letters compare",
        WorkspaceRuleTests.head + "app: {icon: icon.png}\n": "which files there are",
        WorkspaceRuleTests.head + "strings: [a.xcstrings]\n": "which files there are",
        CampaignRuleTests.head + "remotes: [lokal]": "what other documents declare",
        CampaignRuleTests.head + "formerly: [score]": "the value of another field",
        WorkspaceRuleTests.head + "formerly: [giants]\n": "the value of another field",
        CampaignRuleTests.head
            + "schedule: {at: 2026-11-27T20:00:00Z}\nexpiration: {at: 2026-11-27T20:00:00Z}": "how instants compare",
        CampaignRuleTests.head + """
            schedule: {at: 2026-11-27T20:00:00, zone: device, otherwise: Asia/Shanghai}
            rollout: {stages: [1%, 100%], stopWhen: {refused: 2%}}
            """: "the value of another mapping",
        CampaignRuleTests.head + "rollout: {stages: [1%, 10%], stopWhen: {refused: 2%}}": "how shares compare",
        CampaignRuleTests.head + "rollout: {stages: [10%, 1%, 100%], stopWhen: {refused: 2%}}": "how shares compare",
        CampaignRuleTests.head + "rollout: {stages: [0.001%, 100%], stopWhen: {refused: 2%}}":
            "the decimal places of a percentage",
        CampaignRuleTests.head + "rollout: {stages: [1%, 10%, 100%], bake: 2h, stopWhen: {refused: 2%}}":
            "how durations compare",
        CampaignRuleTests.head + """
            schedule: {at: 2026-11-27T20:00:00Z}
            expiration: {at: 2026-11-27T20:20:00Z}
            rollout: {stages: [1%, 100%], stopWhen: {refused: 2%}}
            """: "how instants compare",
        RecurrenceRuleTests.campaign(
            #"every: week, on: [mon, 15, last], at: "09:00", timeZone: Asia/Shanghai, until: 2027-03-01"#):
            "the value of another field",
        RecurrenceRuleTests.campaign(
            #"every: month, on: [mon], at: "09:00", timeZone: Asia/Shanghai, until: 2027-03-01"#):
            "the value of another field",
        RecurrenceRuleTests.campaign(
            #"every: day, at: "09:00", timeZone: Asia/Shangai, until: 2027-03-01"#): "which time zones there are",
        RecurrenceRuleTests.campaign(
            #"every: day, at: "09:00", timeZone: Asia/Shanghai, until: 2027-02-29"#): "the calendar",
        RecurrenceRuleTests.campaign(
            #"every: day, at: "09:00", from: 2027-03-02, timeZone: Asia/Shanghai, until: 2027-03-01"#):
            "how dates compare",
        RecurrenceRuleTests.campaign(
            #"every: month, on: [31], at: "09:00", from: 2027-02-01, timeZone: UTC, until: 2027-03-01"#):
            "the calendar",
        RecurrenceRuleTests.campaign(
            #"every: day, at: "09:00", from: 2027-03-01, except: [2027-03-01], timeZone: Asia/Shanghai, until: 2027-03-01"#
        ): "the value of another field",
        RecurrenceRuleTests.campaign(
            #"every: day, at: "09:00", window: 1d, timeZone: Asia/Shanghai, until: 2027-03-01"#):
            "how durations compare",
        RecurrenceRuleTests.campaign(
            #"every: week, on: [mon, thu], at: "09:00", window: 72h, timeZone: Asia/Shanghai, until: 2027-03-01"#):
            "how durations compare",
        MessageRuleTests.campaign("{body: a, data: {a: 99999999999999999999}}"): "JSON's numbers have no bounds",
        MessageRuleTests.campaign("{body: a, deliveryKey: id, data: {id: 1}}"): "the value of another field",
        secret("{file: a/../../key}"): "where a path leads",
        WorkspaceRuleTests.head
            + "policy: {quietHours: {from: 22:00, to: 08:00, timeZone: Asia/Nowhere}}\n":
            "the time zones of this machine",
        WorkspaceRuleTests.head
            + "policy: {quietHours: {from: 22:00, to: 08:00, timeZone: Asia/Beijing}}\n":
            "the time zones of this machine",
        WorkspaceRuleTests.head + "defaultRemote: local\n": "the value of another field",
    ]
}
