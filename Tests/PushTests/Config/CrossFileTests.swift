import Base
import Push
import Testing

/// What only all files together can tell.
@Suite struct CrossFileTests {
    private static func campaign(_ name: String, _ more: String = "") -> String {
        "kind: Campaign\nname: \(name)\nmessage: {body: a}\naudience: {channels: [Giants]}\n" + more
    }

    @Test(arguments: [
        (
            "kind: Channel\nname: Giants\n",
            "2:7: error: channel 'Giants' is already declared in resources.yaml:2:7 [duplicate-name]"
        ),
        (
            "kind: Segment\nname: reports\nwhere: {a: 1}\n",
            "2:7: error: segment 'reports' is already declared in resources.yaml:5:7 [duplicate-name]"
        ),
        (
            "kind: DeviceProfile\nname: driver\nenvironment: production\ntopic: a.b\ncertificate: {file: a}\n",
            "2:7: error: device profile 'driver' is already declared in resources.yaml:9:7 [duplicate-name]"
        ),
        (
            campaign("a") + "---\n" + campaign("a"),
            "7:7: error: campaign 'a' is already declared in x.yaml:2:7 [duplicate-name]"
        ),
    ])
    func aSecondOfANameNamesTheFirst(_ text: String, _ line: String) async {
        #expect(await SampleFiles.lines(text) == [line])
    }

    @Test func aSecondOfANameIsRelatedToTheFirst() async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", SampleFiles.workspace)
        folder.write("a.yaml", "kind: Channel\nname: A\n")
        folder.write("b.yaml", "# comment\nkind: Channel\nname: A\n")
        let diagnostic = await folder.load().diagnostics.first
        #expect(diagnostic?.range?.file == "b.yaml")
        #expect(diagnostic?.range?.start == SourcePosition(line: 3, column: 7))
        #expect(diagnostic?.related.map(\.range.file) == ["a.yaml"])
        #expect(diagnostic?.related.map(\.range.start) == [SourcePosition(line: 2, column: 7)])
    }

    @Test(arguments: [
        ("{zh-Hans: {body: b}, zh-Hant: {title: t, sound: s, data: {a: '{{name|x}}'}}}", []),
        (
            "{zh: {body: b}, zh-Hans: {body: c}}",
            ["6:30: error: 'zh-Hans' is the same language as 'zh' [duplicate-name]"]
        ),
        (
            "{de: {badge: 1}}",
            [
                "6:20: error: unknown key 'badge'; it belongs in 'message': it is the same in every language [unknown-key]"
            ]
        ), ("{de: {body: '{{name}}'}}", ["6:20: error: 'body': '{{name}}' is no personal text [invalid-value]"]),
    ])
    func languagesAreOfOneMessageAndEachIsSaidOnce(_ languages: String, _ lines: [String]) async {
        let text =
            "kind: Campaign\nname: a\naudience: {channels: [Giants]}\nmessage:\n  body: a\n  languages: \(languages)\n"
        let folder = TemporaryFolder.sample(["x.yaml": text], workspace: "policy: {languageField: language}\n")
        #expect(await folder.lines() == lines)
    }

    @Test(arguments: [
        ("{a: {share: 10%}, b: {share: 89.5%, message: {title: t}}}\ndecideBy: 1d\notherwise: abandon\nwinner: b", []),
        (
            "{a: {share: 10%}}\notherwise: c\nwinner: abandon",
            [
                "5:1: error: a test has two to ten variants [invalid-value]",
                "5:1: error: missing key 'decideBy' [missing-key]",
                "6:12: error: variant 'c' is not declared [unknown-reference]",
                "7:9: error: variant 'abandon' is not declared [unknown-reference]",
            ]
        ),
        (
            "{a: {share: 50%}, b: {share: 50%}}\ndecideBy: 1d\notherwise: a",
            ["5:1: error: the variants' shares leave nobody for the winner [conflicting-keys]"]
        ),
        (
            "{abandon: {share: 0%}, b: {share: 1%, message: {badge: 1}}}\ndecideBy: 1d\notherwise: b",
            [
                "5:12: error: a variant cannot be named 'abandon' [invalid-name]",
                "5:29: error: '0%' is not a share of more than 0% with at most two decimal places [invalid-value]",
                "5:59: error: unknown key 'badge'; it belongs in 'message': it is the same in every variant [unknown-key]",
            ]
        ),
        (
            "{a: {share: 1%, message: {body: x}}, b: {share: 1%, message: {languages: {fr: {body: y}}}}}\ndecideBy: 1d\notherwise: b",
            [
                "5:37: error: 'de' has a 'body' of its own, so its devices would all get the same [conflicting-keys]",
                "5:85: error: the message has no language 'fr' [unknown-reference]",
            ]
        ),
        (
            "{a: {share: 1%}, b: {share: 1%}}\ndecideBy: 1d\notherwise: b\nrollout: {stages: [1%, 100%], stopWhen: {refused: 1%}}",
            ["8:1: error: 'variants' cannot be combined with 'rollout' [conflicting-keys]"]
        ),
    ])
    func variantsAreATestWithAnEnd(_ variants: String, _ lines: [String]) async {
        let text =
            "kind: Campaign\nname: a\naudience: {channels: [Giants]}\nmessage: {body: a, languages: {de: {body: b}}}\n"
            + "variants: \(variants)\n"
        let folder = TemporaryFolder.sample(["x.yaml": text], workspace: "policy: {languageField: language}\n")
        #expect(await folder.lines() == lines)
    }

    @Test(arguments: ["decideBy: 1d", "otherwise: a", "winner: a"])
    func aChoiceNeedsVariants(_ line: String) async {
        let key = line.prefix { $0 != ":" }
        let lines = await SampleFiles.lines(Self.campaign("a", "\(line)\n"))
        #expect(lines.count == 1 && lines[0].contains("'\(key)' needs 'variants'"), "\(lines)")
    }

    @Test(arguments: [
        ("holdout: {share: 5%, salt: a}, frequency: [{most: 255, per: 90d}]", []),
        (
            "holdout: {share: 0%, salt: a}",
            ["'0%' is not a share of more than 0% and less than 100% with at most two decimal places [invalid-value]"]
        ),
        (
            "holdout: {share: 0.125%, salt: a}",
            [
                "'0.125%' is not a share of more than 0% and less than 100% with at most two decimal places [invalid-value]"
            ]
        ), ("holdout: {share: 5%}", ["missing key 'salt' [missing-key]"]),
        (
            "frequency: [{most: 1, per: 1d}, {most: 2, per: 91d}]",
            ["the rule looks back 91d, but which devices were reached is known for 90d only [conflicting-keys]"]
        ),
        (
            "reached: {keep: 10d}, frequency: [{most: 1, per: 11d}]",
            ["the rule looks back 11d, but which devices were reached is known for 10d only [conflicting-keys]"]
        ), ("frequency: [{most: 1, per: 0s}]", ["'per' must be at least 1s [invalid-value]"]),
        ("frequency: [{most: 256, per: 1d}, {per: 1d}]", ["255", "missing key 'most' [missing-key]"]),
        ("frequency: {most: 1, per: 1d}", ["[wrong-type]"]),
        ("approvals: [{when: {devices: 50000}, need: 2}, {when: {labels: {kind: promo}}, need: 1, from: [a]}]", []),
        ("approvals: [{need: 1}, {when: {devices: 1}}]", ["missing key 'when'", "missing key 'need'"]),
        ("approvals: [{when: {}, need: 1}]", ["'when' must say 'devices' or 'labels' [missing-key]"]),
        ("approvals: [{when: {labels: {}}, need: 1}]", ["'labels' names no label [invalid-value]"]),
        ("approvals: [{when: {devices: 0}, need: 0}]", ["[invalid-value]", "[invalid-value]"]),
        ("approvals: [{when: {device: 1}, need: 1, form: [a]}]", ["'device'; did you mean 'devices'", "'form'"]),
        ("approvals: [{when: {devices: 1}, need: 101, from: []}]", ["100", "'from'"]),
        ("approvals: [{when: {devices: 1}, need: 1, from: [a, a]}]", ["'a'"]),
        ("approvals: {when: {devices: 1}, need: 1}", ["[wrong-type]"]),
    ])
    func rulesOfThePolicyAreComplete(_ policy: String, _ mistakes: [String]) async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", SampleFiles.workspace + "policy: {\(policy)}\n")
        let lines = await folder.load().diagnostics.filter { $0.severity == .error }.map(SampleFiles.line)
        let last = SampleFiles.workspace.split(separator: "\n").count + 1
        #expect(lines.count == mistakes.count, "\(lines)")
        for (line, mistake) in zip(lines, mistakes) {
            #expect(line.hasPrefix("\(last):") && line.contains(mistake), "\(line)")
        }
    }

    @Test func aCampaignWithAllExemptLabelsIsExempt() async throws {
        let folder = TemporaryFolder.sample(
            workspace: """
                policy:
                  holdout: {share: 5%, salt: a, exempt: {kind: transactional, team: orders}}
                  frequency:
                    - {most: 1, per: 1d, exempt: {kind: transactional}}
                    - {most: 9, per: 1d}

                """)
        for (name, labels) in [
            ("none", "{}"), ("some", "{kind: transactional}"), ("all", "{kind: transactional, team: orders, a: b}"),
            ("other", "{kind: promo, team: orders}"),
        ] {
            folder.write("\(name).yaml", Self.campaign(name, "labels: \(labels)\n"))
        }
        let campaigns = try #require(await folder.load().readable).campaigns
        let found = campaigns.map { "\($0.name) \($0.holdout?.reason.text ?? "-") \($0.frequency.map(\.most))" }
        #expect(found == ["all - [9]", "none 5% by a [1, 9]", "other 5% by a [1, 9]", "some 5% by a [9]"])
    }

    @Test func whatIsOpenedDecidesOnlyWhereItIsCounted() async {
        let folder = TemporaryFolder.sample()
        func lines(_ limit: String) async -> [String] {
            let rollout = "rollout: {stages: [1%, 100%], stopWhen: {opened: \(limit)}}\n"
            folder.write("x.yaml", Self.campaign("a", rollout))
            return await folder.lines()
        }
        #expect(
            await lines("{below: 0.5%}") == [
                "5:50: error: 'opened' needs devices to report what was opened [missing-key]"
            ])
        folder.write("bugle.yaml", SampleFiles.workspace + "policy: {events: {}}\n")
        #expect(await lines("{below: 0.5%}") == [])
        #expect(
            await lines("{below: 0.555%}") == [
                "5:58: error: '0.555%' is not a share from 0% to 100% with at most two decimal places [invalid-value]"
            ])
        folder.write(
            "silent.yaml",
            Self.campaign("b", "rollout: {stages: [1%, 100%], stopWhen: {opened: {below: 1%}}}\n")
                .replacing("{body: a}", with: "{contentAvailable: true}"))
        let said = await lines("{below: 1%}")
        #expect(said.contains { $0.hasSuffix("nobody opens a push of type 'background' [conflicting-keys]") })
        folder.write("silent.yaml", "")
        #expect(await lines("{below: 0%}") == ["5:58: error: no share is below 0%: it stops nothing [invalid-value]"])
        #expect(await lines("{}").contains { $0.hasSuffix("error: missing key 'below' [missing-key]") })
        #expect(await lines("0.5%").contains { $0.contains("error") })
    }

    @Test func thePayloadsMemberOfEventsIsNotTheCampaigns() async {
        let folder = TemporaryFolder.sample(workspace: "policy: {events: {}, languageField: language}\n")
        folder.write(
            "x.yaml",
            """
            kind: Campaign
            name: a
            audience: {channels: [Giants]}
            message:
              body: a
              deliveryKey: bugle
              data: {bugle: 1}
              languages:
                de: {data: {bugle: {}}}
            """)
        let said = "'bugle' in the payload names the delivery, since 'policy.events' is declared [conflicting-keys]"
        let both = "6:3: error: 'deliveryKey' and 'data' both set 'bugle' [conflicting-keys]"
        #expect(await folder.lines() == [both] + ["6:16", "7:9", "9:16"].map { "\($0): error: \(said)" })
        folder.write("bugle.yaml", SampleFiles.workspace + "policy: {languageField: language}\n")
        #expect(await folder.lines() == [both])
    }

    @Test func eventsNeedARemoteWithAJournal() async {
        let folder = TemporaryFolder()
        let leancloud =
            "remotes: {a: {type: leancloud, url: 'https://a.b', appId: a, masterKey: {env: K}}}\n"
        folder.write(
            "bugle.yaml", "kind: Workspace\nname: giants\n" + leancloud + "policy:\n  events: {keep: 3d}\n")
        #expect(
            await folder.lines() == [
                "5:11: error: LeanCloud does not tell which devices it sent to: it cannot count their events [not-supported]"
            ])
    }

    @Test func namesAreUniqueWithinTheirKindOnly() async {
        #expect(await SampleFiles.lines("kind: Channel\nname: reports\n---\n" + Self.campaign("reports")) == [])
    }

    @Test func aFormerNameIsNobodyElses() async {
        #expect(
            await SampleFiles.lines(Self.campaign("a") + "---\n" + Self.campaign("b", "formerly: [a]\n")) == [
                "10:11: error: 'a' is the name of another campaign, in x.yaml:2:7 [duplicate-name]"
            ])
        #expect(
            await SampleFiles.lines(
                Self.campaign("a", "formerly: [x]\n") + "---\n" + Self.campaign("b", "formerly: [x]\n")) == [
                    "11:11: error: 'x' is also a former name of campaign 'a' [duplicate-name]"
                ])
    }

    @Test func aResourceWithErrorsIsStillDeclared() async {
        let broken = "kind: Segment\nname: broken\nwhere: {a: {$x: 1}}\n---\n"
        let user = "kind: Campaign\nname: a\nmessage: {body: a}\naudience: {segments: [broken]}\n"
        #expect(await SampleFiles.lines(broken + user) == ["3:13: error: unknown operator '$x' [invalid-condition]"])
    }

    @Test func tenBrokenFilesGiveAllErrorsInOneRun() async {
        let folder = TemporaryFolder.sample()
        folder.write("c0.yaml", Self.campaign("c0", "revision: 0\n"))
        folder.write("c1.yaml", "kind: Campaign\nname: [\n")
        folder.write("c2.yaml", Self.campaign("c2", "hold: maybe\n"))
        folder.write("c3.yaml", "kind: Nothing\n")
        folder.write("c4.yaml", "a: 1\na: 2\nkind: Channel\nname: b\n")
        folder.write("deep/c5.yaml", Self.campaign("c5").replacing("Giants", with: "Nobody"))
        folder.write("deep/c6.yml", "kind: Segment\nname: s\nwhere: {a: {$lx: 1}}\n")
        folder.write("deep/c7.yaml", "kind: Channel\nname: a b\n")
        folder.write("deep/c8.yaml", "kind: Channel\nname: Giants\n")
        folder.write("deep/c9.yaml", "message: !!x 1\n")
        let loaded = await folder.load()
        #expect(loaded.workspace == nil)
        let errors = loaded.diagnostics.filter { $0.severity == .error }
        let codes = errors.map { "\($0.range?.file ?? "") \($0.code.rawValue)" }
        #expect(
            codes == [
                "c0.yaml invalid-value", "c1.yaml yaml-syntax", "c2.yaml wrong-type", "c3.yaml unknown-kind",
                "c4.yaml unknown-key", "c4.yaml duplicate-key", "deep/c5.yaml unknown-reference",
                "deep/c6.yml invalid-condition", "deep/c7.yaml invalid-name", "deep/c9.yaml unknown-kind",
                "deep/c9.yaml unknown-tag", "resources.yaml duplicate-name",
            ])
    }

    @Test func twoRunsSayTheSame() async {
        let folder = TemporaryFolder.sample()
        for number in 0..<200 {
            folder.write("campaigns/\(number).yaml", Self.campaign("c\(number % 150)", "x\(number): 1\n"))
        }
        let first = await folder.load()
        let second = await folder.load()
        #expect(first.diagnostics.count == 250)
        #expect(first.diagnostics == second.diagnostics)
        #expect(first.files == second.files)
    }

    @Test func theOriginOfACampaignIsInItsFile() async {
        let folder = TemporaryFolder.sample(["deep/a.yaml": "# comment\n\n" + Self.campaign("a")])
        let loaded = await WorkspaceLoader.load(directory: folder.path, displayedAs: "work")
        let origin = loaded.workspace?.campaigns.first?.origin
        #expect(origin?.file == "deep/a.yaml")
        #expect(origin?.line == 3)
        #expect(origin?.range(of: ["message", "body"]).file == "work/deep/a.yaml")
        #expect(origin?.range(of: ["message", "body"]).start == SourcePosition(line: 5, column: 17))
        #expect(loaded.sources.line(5, of: "work/deep/a.yaml") == "message: {body: a}")
        #expect(loaded.sources.line(99, of: "work/deep/a.yaml") == nil)
    }
}
