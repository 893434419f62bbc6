import Base
import Foundation
import ProgramTesting
import Push
import Testing

/// `bugle migrate --rehearse --dry-run-vendors` against simulated services: what FCM and Huawei are asked, and say.
@Suite(.serialized) struct DryRunTests {
    private static func score(_ more: String = "") -> String {
        """
        kind: Campaign
        name: score
        audience: {channels: [Giants]}
        message: {title: Giants, body: It is now 2-2\(more)}
        expiration: {after: 7d}
        hold: true
        ---
        kind: Channel
        name: Giants
        """
    }

    /// The profiles of both services, as the workspace and the new server have them.
    private static let profiles = """
        kind: DeviceProfile
        name: fcm
        vendor: fcm
        environment: production
        default: true
        fcm: {serviceAccount: {file: firebase.json}}
        ---
        kind: DeviceProfile
        name: hms
        vendor: hms
        environment: production
        default: true
        hms: {appId: "100001", clientSecret: {env: HMS_SECRET}}
        """

    /// A rehearsal with a dry run, of a workspace whose direct remote leads to a simulator that knows every device.
    private func rehearsal(
        _ campaign: String = score(), secret: String = "app-secret", language: String = "en",
        _ change: (AppleSimulator) async throws -> Void = { _ in },
        _ check: (AppleSimulator, Run) async throws -> Void
    ) async throws {
        try await AppleSimulator.run(["--fcm", "giants-app", "--accept-every-token"]) { simulator in
            let url = simulator.url
            let direct = """
                  direct:
                    type: direct
                    registry: {sqlite: devices.sqlite}
                    hosts: {fcm: "\(url)", fcmToken: "\(url)", huawei: "\(url)", huaweiToken: "\(url)"}
                    ca: ca.pem
                """
            let files = ["score.yaml": campaign, "p.yaml": World.apple, "android.yaml": Self.profiles]
            try await World.run(files, remotes: direct) { world in
                let account = try #require(simulator.serviceAccount)
                for (file, name) in [(account, "firebase.json"), (simulator.authority, "ca.pem")] {
                    try FileManager.default.copyItem(at: file, to: world.folder.appending(path: name))
                }
                try await world.devices(3)
                try await world.withNewServer(apple: World.service(android: [.fcm, .hms])) { new, relay, _ in
                    try await world.startLedger()
                    try await world.copy(into: new)
                    try await change(simulator)
                    let run = try await world.bugle(
                        "migrate", "--from", "local", "--to", "new", "--domain", "http://127.0.0.1:\(relay.port)",
                        "--rehearse", "--dry-run-vendors", "--language", language,
                        environment: ["HMS_SECRET": secret])
                    try await check(simulator, run)
                    // Whatever they said: nobody got it.
                    #expect(try await simulator.call("GET", "/inboxes")["messages"] == 0)
                }
            }
        }
    }

    /// How many messages were only to be checked.
    private static func dryRuns(_ simulator: AppleSimulator) async throws -> Int64? {
        try await simulator.call("GET", "/stats")["dryRuns"]?.integer
    }

    @Test func eachServiceChecksTheMessageAndNobodyGetsIt() async throws {
        try await rehearsal { simulator, run in
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.contains("✓ campaign score: FCM takes it in a dry run"), "\(run.everything)")
            #expect(run.output.contains("✓ campaign score: Huawei takes it in a dry run"), "\(run.everything)")
            let checked = try await Self.dryRuns(simulator)
            #expect(checked == 2)
        }
    }

    @Test func whatAServiceRefusesIsSaidWithItsReasonAndIsToBeDone() async throws {
        // A field that FCM does not have.
        let campaign = Self.score(", vendors: {fcm: {android: {colour: red}}}")
        try await rehearsal(campaign) { simulator in
            try await simulator.fault("refuse", ["status": 400, "reason": "80100016", "service": "hms"])
        } _: { simulator, run in
            #expect(run.status == 6, "\(run.everything)")
            #expect(
                run.output.contains("✗ campaign score: FCM refuses it in a dry run: INVALID_ARGUMENT: "),
                "\(run.everything)")
            #expect(
                run.output.contains(
                    "✗ campaign score: Huawei refuses it in a dry run: hms:80100016: Huawei finds the text sensitive"),
                "\(run.everything)")
            let checked = try await Self.dryRuns(simulator)
            #expect(checked == 1, "the fault answered for Huawei")
        }
    }

    @Test func aWrongSecretIsToBeDoneAndTheOtherServicesAreAsked() async throws {
        try await rehearsal(secret: "another", language: "zh-Hans") { _, run in
            #expect(run.status == 6, "\(run.everything)")
            #expect(run.output.contains("✓ 推送活动 score：FCM 在试运行中接受了它"), "\(run.everything)")
            #expect(run.output.contains("✗ 推送活动 score：没有在 Huawei 试运行："), "\(run.everything)")
            #expect(run.output.contains("score：可以生成发往 Apple "), "\(run.everything)")
            #expect(run.output.contains(" 字节（上限 4,096）"), "\(run.everything)")
            #expect(!run.output.contains(" bytes"), "\(run.everything)")
        }
    }
}
