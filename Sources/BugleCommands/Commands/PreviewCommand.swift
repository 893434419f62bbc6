internal import ArgumentParser
internal import Base
internal import Push
internal import PushReport

/// Renders a notification as devices show it, with the exact bytes that would be sent.
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Shows how a notification looks on a device, and the exact bytes that would be sent.",
        discussion: """
            EXAMPLES
              bugle preview welcome
              bugle preview welcome --format svg=welcome.svg

            The pictures show where the systems cut a text: the lock screen, banner and expanded view of an iPhone, and \
            the shade of an Android device, light and dark. Widths are estimates; pictures that a message names are not \
            loaded. Nothing is asked of a remote, and no secret is needed.
            """)

    @OptionGroup var remote: RemoteOptions
    @OptionGroup var formats: FormatOptions<PreviewForms>

    @Argument(help: ArgumentHelp("The campaign.", valueName: "CAMPAIGN"), completion: WorkspaceNames.campaigns)
    var campaign: String

    @Option(
        help: ArgumentHelp(
            "The app's Localizable.strings, or .xcstrings: fills texts that the app has localized.", valueName: "FILE"))
    var strings: String?

    @Option(help: ArgumentHelp("Only this platform: ios or android.", valueName: "PLATFORM"))
    var platform: Platform?

    @OptionGroup var common: CommonOptions

    func run() async throws {
        // An image cannot show diagnostics.
        let worded = formats.requested.filter { $0.form != .svg }
        let problems = worded.isEmpty ? [OutputFormat(.text)] : worded
        try await running(common, formats: problems, files: formats.requested.map(\.file)) {
            let bench = try await Workbench(common)
            let desired = try bench.desired()
            let declaration = try bench.remote(named: remote.remote, in: desired)
            let declared = try desired.campaign(named: campaign)
            let preview = CampaignPreview(
                campaign: declared, desired: desired, remote: bench.description(declaration),
                encoder: declaration.type.encoder, platform: platform, strings: try strings.map(LocalizedFile.init))
            let report = try preview.report()
            bench.printing.write(.preview(report), as: formats.requested)
            if worded.isEmpty { bench.printing.write(.diagnostics(report.diagnostics), as: problems) }
            return report.diagnostics.hasErrors ? .invalid : .success
        }
    }
}

extension Platform: ExpressibleByArgument {}
