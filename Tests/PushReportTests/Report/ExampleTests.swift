internal import Base
internal import Delivery
internal import Foundation
internal import LeanCloud
internal import ProgramTesting
internal import Push
internal import PushReport
internal import Testing

/// Every example, planned for a service at which nothing was delivered yet, in every form.
@Suite struct ExampleTests {
    static let examples = [
        "examples/android", "examples/android-china", "examples/apple", "examples/approvals",
        "examples/driver-passenger", "examples/fleet/herald", "examples/fleet/market", "examples/fleet/stadium",
        "examples/giants",
        "examples/holdout", "examples/languages", "examples/local-time", "examples/localized", "examples/recurring",
        "examples/rich",
        "examples/rollout", "examples/silent", "examples/variants", "campaigns",
    ]

    private static let root = repository

    private static let endings: [(ReportFormat, String)] = [
        (.text, "txt"), (.markdown, "md"), (.html, "html"), (.json, "json"), (.github, "github"),
    ]

    static func plan(_ example: String) async throws -> Plan {
        let loaded = await WorkspaceLoader.load(
            directory: root.appending(path: example).path, displayedAs: example)
        let desired = try #require(loaded.workspace, "\(loaded.diagnostics)")
        var input = input(desired)
        input.explainsAudiences = true
        answer(Planner.questions(input), &input.state)
        var plan = Planner.plan(input).plan
        plan.diagnostics = (loaded.diagnostics.map(\.planned) + plan.diagnostics).sortedForPrinting()
        return plan
    }

    /// The server of 'make demo', or Apple where an example needs a journal.
    private static func input(_ desired: Workspace) -> PlanInput {
        let state = RemoteState(now: ReportFixtures.now)
        guard desired.remotes["local"] == nil,
            let name = ["apple", "direct"].first(where: { desired.remotes[$0] != nil })
        else {
            let remote = RemoteDescription(
                name: desired.remotes["local"] == nil ? desired.defaultRemote ?? "local" : "local", type: .leancloud,
                title: "LeanCloud · 127.0.0.1:8710", fingerprint: Digest(of: [1]))
            return PlanInput(
                desired: desired, remote: remote, capabilities: LeanCloudRemote.capabilities,
                encoder: LeanCloudEncoder(), state: state)
        }
        let remote = APNsRemote.description(
            name: name, registry: "1", label: "devices.sqlite", profiles: desired.deviceProfiles, hosts: [:])
        return PlanInput(
            desired: desired, remote: remote, capabilities: APNsRemote.capabilities, encoder: APNsEncoder(),
            state: state)
    }

    /// Audiences of sizes of their own, made of phones of both platforms in two time zones.
    private static func answer(_ questions: PlanQuestions, _ state: inout RemoteState) {
        for (digest, condition) in questions.counts {
            let devices = 200 + condition.canonicalBytes.count * 37
            state.audiences[digest] = AudienceCount(
                devices: devices,
                leftOut: [
                    .invalid: devices / 50, .stale: devices / 9,
                    .heldOut: condition["holdout"] == nil ? 0 : devices / 19,
                    .capped: condition["frequency"] == nil ? 0 : devices / 7,
                ].filter { $0.value > 0 })
        }
        for (digest, condition) in questions.comparisons {
            state.audiences[digest] = AudienceCount(devices: condition.canonicalBytes.count)
        }
        for (digest, condition) in questions.explanations {
            let devices = state.audiences[digest]?.devices ?? 100
            state.explanations[digest] = AudienceCount(
                devices: devices, platforms: ["ios": devices - devices / 4, "android": devices / 4],
                timeZones: ["Asia/Shanghai": devices - devices / 3, "America/Los_Angeles": devices / 3],
                leftOut: [.invalid: devices / 50, .stale: devices / 9])
            state.explanations[digest]?.leftOut.merge(state.audiences[digest]?.leftOut ?? [:]) { $1 }
            guard let languages = condition["words"]?["languages"]?.array?.compactMap(\.string) else { continue }
            let each = devices / (languages.count + 2)
            state.explanations[digest]?.words = AudienceCount.Words(
                languages: Dictionary(uniqueKeysWithValues: languages.map { ($0, each) }),
                fallback: devices - each * languages.count, values: ["firstName": devices * 3 / 4], largest: 312)
        }
    }

    @Test(arguments: examples)
    func everyFormOfItsPlanIsAsRecorded(_ example: String) async throws {
        let plan = try await Self.plan(example)
        let name = example.split(separator: "/").joined(separator: "-")
        for (format, ending) in Self.endings {
            let options = ReportOptions(workspaceFolder: example)
            let text = Report.plan(plan).rendered(as: format, options: options)
            // Pages are kept whole for one plan only, and looked at for every one.
            if format != .html { try expectGolden(text, "Examples/\(name).\(ending)") }
            if format == .html { #expect(try PageCheck(text).problems == []) }
            if format == .markdown { #expect(text.utf16.count <= 65_000) }
            // A list of devices is their number and a hash.
            #expect(!text.contains(/[0-9a-f]{64}/) || format == .json, "\(format)")
        }
    }

    @Test(arguments: examples)
    func noDeviceTokenIsInAnyForm(_ example: String) async throws {
        let loaded = await WorkspaceLoader.load(
            directory: Self.root.appending(path: example).path, displayedAs: example)
        let tokens = (loaded.workspace?.campaigns ?? []).flatMap(\.audience.devices)
        let plan = try await Self.plan(example)
        for format in ReportFormat.allCases {
            let text = Report.plan(plan).rendered(as: format)
            for token in tokens { #expect(!text.contains(token)) }
        }
    }
}
