internal import Delivery
internal import ArgumentParser
internal import Base
internal import Push

/// Sends one campaign to one device, outside the ledger.
struct TestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Sends one campaign to one device, outside the ledger.",
        discussion: """
            EXAMPLE
              bugle test welcome --device 0a1b2c3d

            The campaign is sent as it is, but to this device only, at once, and whether it was delivered or not; nothing \
            is recorded. A push cannot be taken back.
            """)

    @OptionGroup var remote: RemoteOptions

    @Argument(help: ArgumentHelp("The campaign.", valueName: "CAMPAIGN"), completion: WorkspaceNames.campaigns)
    var campaign: String

    @Option(help: ArgumentHelp("The device token; of an Android device the installation id.", valueName: "TOKEN"))
    var device: String

    @Option(help: ArgumentHelp("Apple's environment: development or production.", valueName: "ENVIRONMENT"))
    var environment: PushEnvironment = .development

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            var bench = try await Workbench(common)
            let files = try bench.desired()
            let declaration = try bench.remote(named: remote.remote, in: files)
            let desired = try bench.withCredentialFacts(files, for: declaration)
            let declared = try desired.campaign(named: campaign)
            let test = try TestDelivery(declared, to: device, environment, in: desired, declaration)
            // Diagnostics about other campaigns do not matter here.
            if let trusted = TrustedHosts(environment: bench.environment) {
                bench.diagnostics += trusted.findings(declaration, secrets: bench.secrets)
            }
            bench.diagnostics += test.encoded.findings
            guard !bench.diagnostics.hasErrors else {
                throw Failure(.invalid, diagnostics: bench.diagnostics, sources: bench.loaded.sources)
            }
            let outcome: TestDelivery.Outcome
            switch declaration.service {
            case .leancloud:
                let connected = try await bench.connect(declaration, workspace: desired.identityName)
                outcome = try await test.send(
                    through: try await connected.makeWriter(TaskPause()), lookingAt: connected.reader, TaskPause())
            case .apns(let settings):
                let access = APNsAccess(bench: bench, remote: declaration, settings: settings)
                outcome = try await test.send(through: access.senderPool(desired.deviceProfiles))
            }
            switch outcome.status {
            case .success: bench.console.output(outcome.text + "\n")
            default: bench.console.say("bugle: error: " + outcome.text)
            }
            return outcome.status
        }
    }
}

extension PushEnvironment: ExpressibleByArgument {}
