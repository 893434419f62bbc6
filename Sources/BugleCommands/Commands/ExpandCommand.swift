internal import ArgumentParser
internal import Push

/// Prints campaigns without parts and values.
struct ExpandCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expand", abstract: "Prints campaigns as plain documents, with their parts and values put in.",
        discussion: """
            EXAMPLES
              bugle expand derby
              bugle expand --remote staging > expanded.yaml

            What is printed is what is planned, hashed and sent: a campaign in its place has the same delivery. Comments \
            and defaults are left out. A campaign that is not meant for the remote has the values of the first one that \
            it is meant for. Nothing is asked of a remote, and no secret is needed.
            """)

    @OptionGroup var remote: RemoteOptions

    @Argument(
        help: ArgumentHelp("The campaign; default: every one, in the order of their names.", valueName: "CAMPAIGN"),
        completion: WorkspaceNames.campaigns)
    var campaign: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            let bench = try await Workbench(common, for: remote.remote)
            let desired = try bench.desired()
            if let name = remote.remote { _ = try bench.remote(named: name, in: desired) }
            let campaigns = try campaign.map { [try desired.campaign(named: $0)] } ?? desired.campaigns
            bench.console.output(campaigns.map { ConfigurationText.text(of: $0) }.joined(separator: "---\n"))
            return .success
        }
    }
}
