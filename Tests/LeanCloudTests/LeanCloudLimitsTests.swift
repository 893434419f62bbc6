import Base
import LeanCloud
import Push
import Testing

@Suite struct LeanCloudLimitsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var draft: PushDraft
        /// `severity code place`, in printing order.
        var findings: [String]

        init(_ name: String, _ draft: PushDraft, _ findings: String...) {
            testDescription = name
            self.draft = draft
            self.findings = findings
        }
    }

    static let types: [Row] = [PushType.location, .liveactivity, .pushtotalk, .widgets, .controls].map { type in
        Row(
            "push type \(type.rawValue)", draft(text("b") { $0.pushType = type }),
            "error not-supported message.pushType")
    }

    static let documentedTypes: [Row] = [PushType.voip, .complication, .fileprovider, .mdm].map { type in
        Row("push type \(type.rawValue)", draft(text("b") { $0.pushType = type }))
    }

    static let rawForm: [Row] = [
        Row(
            "interruptionLevel", draft(text("b") { $0.interruptionLevel = .passive }),
            "warning undocumented-on-leancloud message.interruptionLevel"),
        Row(
            "relevanceScore under ios", draft(text("b"), ios: content { $0.relevanceScore = 1 }),
            "warning undocumented-on-leancloud message.ios.relevanceScore"),
        Row(
            "filterCriteria", draft(text("b") { $0.filterCriteria = "work" }),
            "warning undocumented-on-leancloud message.filterCriteria"),
        Row(
            "with badge increment",
            draft(
                text("b") {
                    $0.interruptionLevel = .active
                    $0.badge = .increment
                }), "error not-supported message.badge", "warning undocumented-on-leancloud message.interruptionLevel"),
        Row(
            "with android",
            draft(text("b") { $0.relevanceScore = 0 }, android: text("a"), platforms: [.ios, .android]),
            "error not-supported message.android", "warning undocumented-on-leancloud message.relevanceScore"),
        Row(
            "with vendors",
            draft(text("b") { $0.relevanceScore = 0 }, vendors: ["mi": [:]], platforms: [.ios, .android]),
            "warning undocumented-on-leancloud message.relevanceScore", "error not-supported message.vendors"),
        Row(
            "with Android devices in the audience",
            draft(text("b") { $0.relevanceScore = 0 }, platforms: [.ios, .android]),
            "warning not-supported audience", "warning undocumented-on-leancloud message.relevanceScore"),
        Row(
            "for Android alone it means nothing", draft(text("b") { $0.relevanceScore = 0 }, platforms: [.android])),
    ]

    static let others: [Row] = [
        Row("priority 1", draft(text("b") { $0.priority = 1 }), "error not-supported message.priority"),
        Row(
            "priority 1 under ios", draft(text("b"), ios: content { $0.priority = 1 }),
            "error not-supported message.ios.priority"),
        Row("one attempt", draft(text("b"), expiration: .after(.zero)), "error not-supported expiration.after"),
        Row("never expiring", draft(text("b"), expiration: .never)),
        Row("a slow throttle", draft(text("b"), throttle: 999), "note adjusted throttle.perSecond"),
        Row("a fast throttle", draft(text("b"), throttle: 1000)),
        Row(
            "localized text for both platforms",
            draft(
                content {
                    $0.title = .localized(key: "t", arguments: [])
                    $0.body = .localized(key: "k", arguments: [])
                }, platforms: [.ios, .android]), "warning not-supported message.body",
            "warning not-supported message.title"),
        Row(
            "localized text with one for Android",
            draft(
                content { $0.body = .localized(key: "k", arguments: []) }, android: text("a"),
                platforms: [.ios, .android])),
        Row(
            "localized text for Android alone",
            draft(content { $0.body = .localized(key: "k", arguments: []) }, platforms: [.android]),
            "error not-supported message.body"),
        Row(
            "a subtitle for both platforms",
            draft(text("b"), android: content { $0.subtitle = .text("s") }, platforms: [.ios, .android]),
            "note not-supported message.android.subtitle"),
    ]

    @Test(arguments: types + documentedTypes + rawForm + others)
    func whatLeanCloudCannotDoIsSaidAtItsField(_ row: Row) {
        let findings = LeanCloudEncoder().encode(row.draft).findings.sortedForPrinting()
        #expect(findings.map { "\($0.severity) \($0.code.rawValue) \($0.range?.file ?? "")" } == row.findings)
    }

    @Test func aTestOfVariantsNeedsARemoteOfTypeAPNs() {
        var draft = draft(text("b"))
        draft.campaign.variants = [
            Variant(name: "a", share: Share(parts: 1)), Variant(name: "b", share: Share(parts: 1)),
        ]
        (draft.campaign.decideBy, draft.campaign.otherwise) = (.seconds(60), "a")
        let finding = LeanCloudEncoder().encode(draft).findings.first
        #expect(finding?.severity == .error && finding?.range?.file == "variants")
        #expect(finding?.help?.contains("a remote of 'type: apns' with the same devices") == true)
    }

    @Test func everyFindingSaysWhatToDoOrIsANote() {
        for row in Self.types + Self.rawForm + Self.others {
            for finding in LeanCloudEncoder().encode(row.draft).findings {
                #expect(finding.severity == .note || finding.help != nil, "\(finding.message)")
                #expect(!finding.message.hasSuffix("."))
            }
        }
    }

    /// A body of exactly so many bytes, padded with 3-byte characters.
    private func padded(to bytes: Int) -> PushDraft {
        let empty = LeanCloudEncoder().encode(draft(text(""))).bytes
        let missing = bytes - empty
        return draft(
            text(String(repeating: "赢", count: missing / 3) + String(repeating: "!", count: missing % 3)))
    }

    @Test func theLimitCountsBytesAndNotCharacters() {
        let fitting = LeanCloudEncoder().encode(padded(to: 4095))
        #expect(fitting.bytes == 4095)
        #expect(fitting.limit == 4096)
        #expect(fitting.findings == [])
        let large = LeanCloudEncoder().encode(padded(to: 4096))
        #expect(large.bytes == 4096)
        #expect(large.request.body["data"]?["alert"]?.string.map { $0.count < 1400 } == true)
        #expect(large.findings.map(\.code) == [.payloadTooLarge])
        #expect(large.findings.map(\.severity) == [.error])
    }

    @Test func theErrorNamesTheBytesAndTheThreeLargestFields() throws {
        let large = draft(
            text(String(repeating: "b", count: 300)) {
                $0.data = [
                    "story": .string(String(repeating: "s", count: 4000)), "small": 1,
                    "other": .string(String(repeating: "o", count: 200)),
                ]
            })
        let encoded = LeanCloudEncoder().encode(large)
        let finding = try #require(encoded.findings.first)
        #expect(finding.message.contains("\(encoded.bytes)"))
        #expect(finding.help?.contains("data.story 4002, data.alert 302, data.other 202") == true)
        let fits = 4002 - (encoded.bytes - 4095)
        #expect(finding.help?.hasPrefix("'story' has 4002 bytes, of which \(fits) fit; ") == true)
        #expect(finding.range?.file == "message.data.story")
    }

    @Test func deviceIdsDoNotCountAgainstTheLimit() {
        let devices = (0..<500).map { "\($0)" + String(repeating: "a", count: 60) }
        let encoded = LeanCloudEncoder().encode(draft(text("b"), devices: devices))
        #expect(encoded.request.body.canonicalBytes.count > 30_000)
        #expect(encoded.bytes < 200)
        #expect(encoded.findings == [])
    }

    @Test func aRuleThatLeavesOutDevicesIsAnErrorAtItsPlaceInThePolicy() {
        var draft = draft(text("b"))
        draft.workspaceOrigin = Origin(file: "bugle.yaml", line: 1)
        draft.campaign.holdout = Holdout(share: Share(parts: 500), salt: "a")
        draft.campaign.frequency = [FrequencyRule(most: 1, per: .seconds(60))]
        let findings = LeanCloudEncoder().findings(draft)
        #expect(
            findings.map(\.message)
                == ["holdout", "frequency"].map {
                    "LeanCloud chooses the devices itself: it cannot keep policy.\($0)"
                })
        #expect(findings.allSatisfy { $0.range?.file == "bugle.yaml" && $0.severity == .error })
        #expect(findings.allSatisfy { $0.help?.contains("'type: apns' with the same devices") == true })
    }
}
