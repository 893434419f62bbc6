internal import Base
internal import Foundation
import ProgramTesting
internal import Push
internal import Testing

/// The fields that the pages show are valid as they are printed, in a workspace that has the rest.
@Suite struct PageBlockTests {
    private static let root = repository
    private static let pages = Documents().pages.filter {
        $0.hasPrefix("docs/features/") || $0.hasPrefix("docs/apple/")
    }

    private static let rest: [String: String] = [
        "name": "name: shown", "kind": "kind: Campaign", "audience": "audience: {channels: [Giants]}",
        "message": "message: {title: Giants, body: The game begins}", "expiration": "expiration: {after: 7d}",
    ]
    private static let workspace: [String: String] = [
        "kind": "kind: Workspace", "name": "name: pages",
        "remotes": "remotes: {apple: {type: apns, registry: {sqlite: devices.sqlite}}}",
    ]
    private static let others = """
        kind: Channel
        name: Giants
        ---
        kind: Segment
        name: testers
        where: {tester: true}
        ---
        kind: DeviceProfile
        name: giants
        environment: production
        topic: com.example.giants
        default: true
        token: {teamId: ABCDE12345, keyId: F4K3K3Y1D0, key: {env: GIANTS_APNS_KEY}}
        """

    /// The blocks of a page that have fields of a workspace or a campaign.
    private static func blocks(of page: String) throws -> [String] {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
            .matches(of: /(?m)^```yaml\n((?:(?!```).*\n)*)```$/).map { String($0.output.1) }
    }

    private static func merged(_ fields: [String: String], _ block: String) -> String {
        let own = Set(
            block.split(separator: "\n").compactMap { $0.firstMatch(of: /^(\w+):/).map { String($0.output.1) } })
        return fields.filter { !own.contains($0.key) }.values.sorted().joined(separator: "\n") + "\n" + block
    }

    private static func diagnostics(_ block: String) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let isWorkspace = block.contains(/(?m)^(notify|policy|remotes):/)
        let files = [
            "bugle.yaml": merged(workspace, isWorkspace ? block : ""), "others.yaml": others,
            "shown.yaml": merged(rest, isWorkspace ? "" : block),
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let loaded = await WorkspaceLoader.load(directory: folder.path, displayedAs: "page")
        return loaded.diagnostics.filter { $0.severity == .error }.map { "\($0)" }
    }

    @Test(arguments: pages) func everyBlockOfFieldsIsValid(_ page: String) async throws {
        for block in try Self.blocks(of: page) { #expect(try await Self.diagnostics(block) == [], "\(block)") }
    }

    @Test func thePagesHaveBlocksAndAWrongOneIsFound() async throws {
        #expect(try Self.pages.flatMap(Self.blocks).count > 4)
        #expect(try await Self.diagnostics("rollout: {stages: [1%], bake: sometimes}\n") != [])
        #expect(try await Self.diagnostics("policy: {maxAudience: many}\n") != [])
    }
}
