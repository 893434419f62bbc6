import Base
import BaseTesting
import Testing

@testable import Push

/// What parts and values make of the campaigns that use them.
@Suite struct PartRuleTests {
    static let workspace = """
        kind: Workspace
        name: giants
        defaultRemote: local
        values: {source: app, link: "https://example.com", rate: 7, loud: true, level: 0.5, empty: ""}
        remotes:
          local:
            type: leancloud
            url: http://127.0.0.1:8710
            appId: demo
            masterKey: {env: BUGLE_SERVER_KEY}
            values: {link: "http://127.0.0.1", here: local}
          apple:
            type: apns
            registry: {sqlite: devices.sqlite}
            values: {there: apple}

        """
    static let channel = "kind: Channel\nname: Giants\n"
    private static let head = "kind: Campaign\nname: derby\n"
    private static let body = "message: {body: a}\naudience: {channels: [Giants]}\n"

    private static func folder(_ files: [String: String], workspace: String = workspace) -> TemporaryFolder {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", workspace)
        folder.write("channel.yaml", channel)
        for (name, text) in files { folder.write(name, text) }
        return folder
    }

    private static func lines(_ files: [String: String]) async -> [String] {
        await folder(files).lines()
    }

    /// A campaign with its parts, and the same one without.
    struct Pair: Sendable, CustomStringConvertible {
        let parts: String
        let campaign: String
        let plain: String

        init(_ parts: String, _ campaign: String, _ plain: String) {
            (self.parts, self.campaign, self.plain) = (parts, campaign, plain)
        }

        var description: String { parts + campaign }
    }

    private static func part(_ name: String, _ campaign: String) -> String {
        "---\nkind: Part\nname: \(name)\ncampaign: {\(campaign)}\n"
    }

    static let merges: [Pair] = [
        .init(
            part("a", "message: {sound: x.caf}"), "use: [a]\n" + body,
            "message: {body: a, sound: x.caf}\naudience: {channels: [Giants]}\n"),
        .init(part("a", "message: {body: a}, audience: {channels: [Giants]}"), "use: [a]\n", body),
        .init(
            part("a", "message: {body: x, badge: 1}") + part("b", "message: {body: y, badge: 2}"),
            "use: [a, b]\n" + body,
            "message: {body: a, badge: 2}\naudience: {channels: [Giants]}\n"),
        .init(
            part("a", "message: {data: {list: [1, 2], map: {x: 1}}}"),
            "use: [a]\naudience: {channels: [Giants]}\nmessage: {body: a, data: {list: [3], map: {y: 2}}}\n",
            "audience: {channels: [Giants]}\nmessage: {body: a, data: {list: [3], map: {x: 1, y: 2}}}\n"),
        .init(
            part("a", "message: {sound: x.caf, data: {a: 1, b: 2}}"),
            "use: [a]\naudience: {channels: [Giants]}\nmessage: {body: a, sound: null, data: {a: null}}\n",
            "audience: {channels: [Giants]}\nmessage: {body: a, data: {b: 2}}\n"),
        .init(part("a", "expiration: {after: 1h}") + part("b", "expiration: null"), "use: [a, b]\n" + body, body),
        // What no part has is not there either way, and a message's own data may hold null.
        .init(
            part("a", "schedule: null"),
            "use: [a]\nthrottle: null\naudience: {channels: [Giants]}\nmessage: {body: a, data: {a: null}}\n",
            "audience: {channels: [Giants]}\nmessage: {body: a, data: {a: null}}\n"),
        .init(
            part("a", "message: {data: {m: {a: 1}}}") + part("b", "message: {data: {m: null}}"),
            "use: [a, b]\naudience: {channels: [Giants]}\nmessage: {body: a, data: {m: {b: 2}}}\n",
            "audience: {channels: [Giants]}\nmessage: {body: a, data: {m: {b: 2}}}\n"),
        .init(
            part("a", "expiration: never"), "use: [a]\nexpiration: {after: 1h}\n" + body,
            "expiration: {after: 1h}\n" + body),
        .init(
            "---\nkind: Part\nname: a\ncampaign:\n  message: &m {data: {x: &y {z: 1}, w: *y}}\n",
            "use: [a]\naudience: {channels: [Giants]}\nmessage: {<<: &b {body: a}, data: {w: {q: 2}}}\n",
            "audience: {channels: [Giants]}\nmessage: {body: a, data: {x: {z: 1}, w: {z: 1, q: 2}}}\n"),
        .init(
            part("a", "message: {title: '${here}'}, labels: {source: '${source}'}"), "use: [a]\n" + body,
            "labels: {source: app}\nmessage: {title: local, body: a}\naudience: {channels: [Giants]}\n"),
    ]

    static let values: [(written: String, meant: String)] = [
        ("'${link}/derby'", "http://127.0.0.1/derby"), ("'${source}${source}'", "appapp"),
        ("'a${empty}b'", "ab"), ("'${rate}%'", "7%"), ("'$${link}'", "${link}"), ("'$$${link}'", "$${link}"),
        ("'$$ $5 {link} $'", "$$ $5 {link} $"), ("'${loud} ${level}'", "true 0.5"),
    ]

    /// Documents without errors, where the parts that they use are declared.
    static let documents: [String] =
        merges.flatMap { [$0.parts, head + $0.campaign] }
        + values.map { head + "message: {body: \($0.written)}\naudience: {channels: [Giants]}\n" }
        + [head + "throttle: {perSecond: '${rate}'}\nexpiration: {after: '${time}'}\n" + body]

    private static func digests(_ files: [String: String]) async throws -> Digest {
        let loaded = await folder(files).load()
        return try #require(loaded.workspace, "\(loaded.diagnostics.map(SampleFiles.line))").desiredDigest
    }

    @Test(arguments: merges) func aCampaignWithPartsIsThatWithout(_ pair: Pair) async throws {
        let expanded = try await Self.digests(["x.yaml": Self.head + pair.campaign, "parts.yaml": pair.parts])
        #expect(try await expanded == Self.digests(["x.yaml": Self.head + pair.plain]))
    }

    @Test func aCampaignKnowsItsParts() async throws {
        let text = Self.head + "use: [evening, loud]\nmessage: {body: a}\naudience: {channels: [Giants]}\n"
        let parts = ["evening", "loud"].map { "kind: Part\nname: \($0)\ncampaign: {hold: false}\n" }
        let loaded = await Self.folder(["x.yaml": text, "parts.yaml": parts.joined(separator: "---\n")]).load()
        #expect(loaded.workspace?.campaigns.map(\.parts) == [["evening", "loud"]], "\(loaded.diagnostics)")
    }

    @Test func aValueStandsInAnyTextOfACampaign() async throws {
        for (written, meant) in Self.values {
            let text = Self.head + "message: {body: \(written)}\naudience: {channels: [Giants]}\n"
            let loaded = await Self.folder(["x.yaml": text]).load()
            let campaign = try #require(loaded.workspace?.campaigns.first, "\(loaded.diagnostics)")
            #expect(campaign.message.common.body == .text(meant))
            // What 'expand' prints says the same.
            let printed = ConfigurationText.text(of: campaign)
            #expect(try await Self.digests(["x.yaml": printed]) == loaded.workspace?.desiredDigest, "\(printed)")
        }
    }

    @Test func aTextThatIsOneValueHasTheTypeOfTheValue() async throws {
        let written =
            "throttle: {perSecond: '${rate}'}\nmessage: {body: a, mutableContent: '${loud}', relevanceScore: '${level}', data: {rate: '${rate}', text: 'x${rate}'}}\naudience: {channels: [Giants]}\n"
        let plain =
            "throttle: {perSecond: 7}\nmessage: {body: a, mutableContent: true, relevanceScore: 0.5, data: {rate: 7, text: x7}}\naudience: {channels: [Giants]}\n"
        #expect(try await Self.digests(["x.yaml": Self.head + written]) == Self.digests(["x.yaml": Self.head + plain]))
    }

    @Test func aRemotesValueGoesBeforeTheWorkspaces() async throws {
        let text = Self.head + "message: {body: '${link}'}\naudience: {channels: [Giants]}\n"
        let loaded = await Self.folder(["x.yaml": text]).load()
        func body(_ loaded: LoadedWorkspace?) -> LocalizableText? {
            loaded?.workspace?.campaigns.first?.message.common.body
        }
        #expect(body(loaded) == .text("http://127.0.0.1"))
        #expect(body(loaded.expanded(for: "apple")) == .text("https://example.com"))
    }

    @Test func aCampaignForOtherRemotesHasTheirValues() async throws {
        let text = Self.head + "remotes: [apple]\nmessage: {body: '${there}'}\naudience: {channels: [Giants]}\n"
        let loaded = await Self.folder(["x.yaml": text]).load()
        #expect(loaded.diagnostics.map(SampleFiles.line) == [])
        #expect(loaded.workspace?.campaigns.first?.message.common.body == .text("apple"))
    }

    static let rules: [Rule] = [
        .init(
            head + "use: [evning]\n" + body,
            "3:7: error: part 'evning' is not declared; did you mean 'evening'? [unknown-reference]",
            "parts.yaml:2:7: warning: no campaign uses part 'evening' [unused-part]"),
        .init(
            head + "use: evening\n" + body, "3:6: error: 'use' must be a list, but found a string [wrong-type]",
            "parts.yaml:2:7: warning: no campaign uses part 'evening' [unused-part]"),
        .init(
            head + "use: [evening]\naudience: {channels: [Giants]}\nmessage: {body: '${lnk}'}\n",
            "5:17: error: value 'lnk' is not declared; did you mean 'link'? [unknown-reference]"),
        .init(
            head + "use: [evening]\naudience: {channels: [Giants]}\nmessage: {body: '${there}'}\n",
            "5:17: error: value 'there' is not declared for remote 'local' [unknown-reference]"),
        .init(
            head + "use: [evening]\naudience: {channels: [Giants]}\nmessage: {body: '${{ x }}'}\n",
            "5:17: error: '${' begins the name of a value: ${name} [unknown-reference]"),
        .init(
            head
                + "use: [evening]\naudience: {channels: [Giants]}\nmessage: {body: a}\nthrottle: {perSecond: '${link}'}\n",
            "6:23: error: 'perSecond' must be an integer, but found a string [wrong-type]"),
        .init(
            "kind: Campaign\nname: '${source}'\nuse: [evening]\n" + body,
            "2:7: error: '${source}' is not a valid name [invalid-name]"),
    ]

    @Test(arguments: rules) func aMistakeIsSaidAtItsLine(_ rule: Rule) async {
        let parts = "kind: Part\nname: evening\ncampaign: {labels: {a: b}}\n"
        #expect(await Self.lines(["x.yaml": rule.text, "parts.yaml": parts]).sorted() == rule.lines.sorted())
    }

    static let brokenParts: [Rule] = [
        .init("campaign: {use: [x]}\n", "3:12: error: unknown key 'use'; parts do not use parts [unknown-key]"),
        .init("campaign: {name: x}\n", "3:12: error: unknown key 'name'; each campaign has its own [unknown-key]"),
        .init(
            "campaign: {message: {badge: x}}\n",
            "3:29: error: 'badge' must be an integer or 'increment', but found 'x' [invalid-value]"),
        .init(
            "campaign: {message: {bdy: x}}\n", "3:22: error: unknown key 'bdy'; did you mean 'body'? [unknown-key]"),
        .init("campaign: [1]\n", "3:11: error: 'campaign' must be a mapping, but found a sequence [wrong-type]"),
        .init(
            "labels: {}\n", "1:1: error: missing key 'campaign' [missing-key]",
            "3:1: error: unknown key 'labels'; it belongs in 'campaign' [unknown-key]"),
    ]

    /// However many campaigns use it.
    @Test(arguments: brokenParts) func aPartThatIsWrongIsSaidOnceAtItsOwnLine(_ rule: Rule) async {
        let campaigns = (1...3).map { "kind: Campaign\nname: c\($0)\nuse: [a]\n" + Self.body }.joined(
            separator: "---\n")
        let files = ["x.yaml": "kind: Part\nname: a\n" + rule.text, "campaigns.yaml": campaigns]
        #expect(await Self.lines(files) == rule.lines)
    }

    /// What only the whole campaign breaks names both places.
    @Test func aPartThatFailsInUseNamesBothPlaces() async throws {
        let parts = "kind: Part\nname: evening\ncampaign:\n  inDoubt: resend\n"
        let loaded = await Self.folder(["parts.yaml": parts, "derby.yaml": Self.head + "use: [evening]\n" + Self.body])
            .load()
        let found = try #require(loaded.diagnostics.first)
        #expect(loaded.diagnostics.count == 1)
        #expect(
            SampleFiles.line(found)
                == "parts.yaml:4:3: error: 'inDoubt: resend' needs 'message.collapseId' [conflicting-keys]")
        #expect(found.related.map(\.message) == ["from part evening at parts.yaml:4, used at derby.yaml:3"])
        #expect(found.related.map(\.range.file) == ["derby.yaml"])
    }

    /// What other files decide is said at the part's line, too.
    @Test func anUnknownNameInAPartNamesBothPlaces() async throws {
        let parts = "kind: Part\nname: evening\ncampaign:\n  audience: {channels: [Gaints]}\n"
        let text = Self.head + "use: [evening]\nmessage: {body: a}\n"
        let found = await Self.folder(["parts.yaml": parts, "derby.yaml": text]).load().diagnostics
        #expect(
            found.map(SampleFiles.line)
                == [
                    "parts.yaml:4:25: error: channel 'Gaints' is not declared; did you mean 'Giants'? [unknown-reference]"
                ])
        #expect(found.first?.related.map(\.message) == ["from part evening at parts.yaml:4, used at derby.yaml:3"])
    }

    @Test func aSecondPartOfANameNamesTheFirst() async {
        let parts = "kind: Part\nname: a\ncampaign: {labels: {a: b}}\n"
        #expect(
            await Self.lines(["a.yaml": parts, "x.yaml": parts, "z.yaml": Self.head + "use: [a]\n" + Self.body])
                == ["2:7: error: part 'a' is already declared in a.yaml:2:7 [duplicate-name]"])
    }

    @Test(arguments: ["values: {a: [1]}", "values: {a: {env: X}}", "values: {a: null}"])
    func aValueIsAScalar(_ text: String) async {
        let lines = await SampleFiles.lines(workspace: "kind: Workspace\nname: giants\n\(text)\n")
        #expect(
            lines.count == 1 && lines[0].hasPrefix("3:13: error: 'a' must be a string, a number, true or false"),
            "\(lines)")
    }

    @Test func secretsAndReferencesStayAsTheyAreWritten() async throws {
        let loaded = await Self.folder(
            [:], workspace: Self.workspace.replacing("appId: demo", with: "appId: '${source}'")
        ).load()
        guard case .leancloud(let service)? = loaded.workspace?.remotes["local"]?.service else {
            Issue.record("\(loaded.diagnostics)")
            return
        }
        #expect(service.appId == .literal("${source}"))
    }

    /// Nothing is copied where there is nothing to put in.
    @Test func aPlainCampaignIsReadWhereItStands() throws {
        let reader = FileReader(folder: WorkspaceFolder(root: "/"), naming: FileNaming(workspace: ""))
        let text = Self.head + "message: {body: 'US$ {5}'}\naudience: {where: {$or: [{a: 1}, {b: 2}]}}\n"
        let file = reader.read(Array(text.utf8), as: "x.yaml")
        guard case .campaign? = file.declarations.first?.content else {
            Issue.record("it is read later")
            return
        }
    }

    // MARK: Limits

    @Test func whatPartsPutIntoAFileHasTheLimitsOfAFile() async {
        let big =
            "kind: Part\nname: big\ncampaign: {message: {data: {x: [" + String(repeating: "1,", count: 40_000)
            + "1]}}}\n"
        let campaigns = (1...9).map { "kind: Campaign\nname: c\($0)\nuse: [big]\n" + Self.body }.joined(
            separator: "---\n")
        let message = "more than 100,000 nodes or 1 MiB of text in one file with all parts and values put in"
        #expect(
            await Self.lines(["big.yaml": big, "x.yaml": campaigns]).filter { !$0.contains("payload") }
                == ["15:1: error: \(message) [limit-exceeded]"])
    }

    @Test func aValueThatIsRepeatedHasTheLimitsOfAFile() async {
        let workspace = Self.workspace.replacing(
            "source: app", with: "source: " + String(repeating: "x", count: 10_000))
        let text =
            Self.head + "message: {body: '" + String(repeating: "${source}", count: 1000)
            + "'}\naudience: {channels: [Giants]}\n"
        let lines = await Self.folder(["x.yaml": text], workspace: workspace).lines()
        #expect(lines.count == 1 && lines[0].hasSuffix("[limit-exceeded]"), "\(lines)")
    }

    @Test func aCampaignMayUseTenThousandParts() async throws {
        var files: [String: String] = [:]
        for place in 0..<10_000 {
            files["parts\(place / 5000).yaml", default: ""] +=
                "---\nkind: Part\nname: p\(place)\ncampaign: {message: {data: {k: \(place)}}}\n"
        }
        let use = "use: [" + (0..<10_000).map { "p\($0)" }.joined(separator: ", ") + "]\n"
        files["x.yaml"] = Self.head + use + Self.body
        let plain = "message: {body: a, data: {k: 9999}}\naudience: {channels: [Giants]}\n"
        #expect(try await Self.digests(files) == Self.digests(["x.yaml": Self.head + plain]))
    }
}
