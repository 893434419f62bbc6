import APNsSimulator
import Base
import Delivery
import DeviceRegistry
import Foundation
import LeanCloud
import ProgramTesting
import Testing

@testable import Push

/// The same campaign, through the server as LeanCloud and straight to Apple, is the same notification on the device.
@Suite struct SameCampaignTests {
    /// What people see, hear and count of a notification, and what the app gets.
    private struct Seen: Equatable {
        let payload: JSONValue
        let topic: String
        let pushType: String?
        let priority: Int
        let collapseID: String?
    }

    private static func seen(_ apple: APNsSimulator, _ tokens: [String]) throws -> [[Seen]] {
        try tokens.map { token in
            try apple.inbox(of: token).map {
                Seen(
                    payload: try JSONValue(parsing: $0.payload), topic: $0.topic, pushType: $0.pushType,
                    priority: $0.priority, collapseID: $0.collapseID)
            }
        }
    }

    private static func workspace(_ name: String) async throws -> Workspace {
        let loaded = await WorkspaceLoader.load(
            directory: repository.appending(path: "examples/\(name)").path, displayedAs: name)
        return try #require(loaded.workspace, "\(loaded.diagnostics)")
    }

    /// The draft of a campaign, as the planner makes it.
    private static func draft(_ campaign: Campaign, _ profiles: [DeviceProfile], _ generation: Int) -> PushDraft {
        let platforms = Set(campaign.audience.platforms.isEmpty ? [.ios, .android] : campaign.audience.platforms)
        let mine = profiles.filter { $0.environment == campaign.environment }
        return PushDraft(
            campaign: campaign, condition: [:], platforms: platforms, profile: nil, scheduledAt: nil,
            notificationID: DeliveryID(workspace: "same", campaign: campaign.name, revision: generation),
            profiles: mine)
    }

    @Test(arguments: ["giants", "driver-passenger", "localized", "rich", "silent"])
    func theExamplesLookTheSameEitherWay(example: String) async throws {
        let workspace = try await Self.workspace(example)
        var profiles = workspace.deviceProfiles
        if profiles.isEmpty { profiles = [AppleWorld.profile()] }
        for index in profiles.indices { profiles[index].facts = CredentialFacts(fingerprint: "f", expiresAt: nil) }
        try await AppleWorld.run(profiles: profiles) { (world) async throws in
            var tokens: [String] = []
            for (index, profile) in profiles.enumerated() {
                tokens.append(
                    try await world.device(
                        index + 1, ["deviceProfile": .string(profile.name), "badge": 4], topic: ""))
            }
            var count = 0
            for campaign in workspace.campaigns where Self.reachesApple(campaign) {
                let draft = Self.draft(campaign, profiles, 1)
                let request = LeanCloudEncoder().encode(draft)
                let encoded = APNsEncoder().encode(draft)
                let findings = (request.findings + encoded.findings).filter { $0.severity == .error }
                #expect(findings.isEmpty, "\(campaign.name): \(findings)")
                world.apple.emptyInboxes()
                let record = try await world.push(request.request.body)
                #expect(record["status"] == "done", "\(campaign.name): \(record)")
                let byServer = try Self.seen(world.apple, tokens)
                world.apple.emptyInboxes()
                for token in tokens { try await world.server.device(token, ["badge": 4]) }
                try await Self.deliver(encoded.request, campaign, world)
                let direct = try Self.seen(world.apple, tokens)
                #expect(byServer == direct, "\(campaign.name)")
                #expect(direct.contains { $0.count == 1 }, "\(campaign.name)")
                count += 1
            }
            #expect(count > 0)
        }
    }

    private static func reachesApple(_ campaign: Campaign) -> Bool {
        (campaign.audience.platforms.isEmpty || campaign.audience.platforms.contains(.ios))
            && campaign.audience.devices.isEmpty
    }

    /// Carries out the order of the `apns` remote over the same senders.
    private static func deliver(_ request: PushRequest, _ campaign: Campaign, _ world: AppleWorld) async throws {
        let start = ContinuousClock.now
        let engine = DeliveryEngine(
            store: Journal(world.server.registry), senders: world.pool.senders(), pausing: TaskPause()
        ) { ContinuousClock.now - start }
        let job = DeliveryJob(
            id: DeliveryID(workspace: "direct", campaign: campaign.name, revision: 1).text, workspace: "direct",
            order: try DeliveryOrder(request.body), start: .system, window: .seconds(3600))
        guard case .ended = await engine.run(job, under: DeliveryPermit(run: "direct", lease: nil)) else {
            Issue.record("\(campaign.name) did not end")
            return
        }
    }
}
