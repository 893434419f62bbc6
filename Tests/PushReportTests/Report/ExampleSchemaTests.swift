internal import Base
internal import BaseTesting
internal import FoundationEssentials
import ProgramTesting
internal import Push
internal import PushReport
internal import RemoteTesting
internal import Testing

/// The plans of the workspaces that the repository shows.
@Suite struct ExampleSchemaTests {
    private static let root = repository

    @Test func everyExampleIsLookedAt() throws {
        let found = try WorkspaceFinder.all(below: Self.root.appending(path: "examples").path)
        #expect(Set(found.map { "examples/\($0.folder)" }).union(["campaigns"]) == Set(Self.workspaces))
    }

    static let workspaces = [
        "examples/android", "examples/android-china", "examples/apple", "examples/approvals",
        "examples/driver-passenger", "examples/fleet/herald", "examples/fleet/market", "examples/fleet/stadium",
        "examples/giants",
        "examples/holdout",
        "examples/languages", "examples/local-time", "examples/localized", "examples/recurring", "examples/rich",
        "examples/rollout", "examples/silent", "examples/variants", "campaigns",
    ]

    @Test(arguments: workspaces)
    func thePlanOfAnExampleIsAsTheSchemaSays(_ name: String) async throws {
        let loaded = await WorkspaceLoader.load(directory: Self.root.appending(path: name).path, displayedAs: name)
        let workspace = try #require(loaded.readable)
        var input = Sample.input(
            workspace, RemoteState(now: Sample.start, ledgerStarted: true, installations: InstallationSample(size: 0)))
        for digest in Planner.questions(input).counts.keys {
            input.state.audiences[digest] = AudienceCount(devices: 12)
        }
        let plan = Planner.plan(input).plan
        #expect(plan.summary[.send] + plan.summary[.schedule] + plan.summary[.wait] + plan.summary.blocked > 0)
        let json = try JSONValue(parsing: Report.plan(plan).rendered(as: .json))
        #expect(try JSONSchema(ReportSchema.plan.json.unordered).violations(of: json) == [])
    }
}
