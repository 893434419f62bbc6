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
            let bench = try await Workbench(common, for: remote.remote)
            var desired = try bench.desired()
            let declaration = try bench.remote(named: remote.remote, in: &desired)
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

/// The preview of one campaign, before any request to a remote.
struct CampaignPreview: Sendable {
    let campaign: Campaign
    let desired: Workspace
    let remote: RemoteDescription
    let encoder: any RequestEncoding
    /// The requested platform; nil for every platform in the audience.
    let platform: Platform?
    /// The app's localized texts, if a file was given.
    let strings: LocalizedFile?

    /// Encodes the campaign like its delivery at this revision.
    ///
    /// - Throws: ``Failure`` with `usage` when the campaign does not reach the requested platform.
    func report() throws -> PreviewReport {
        let example = campaign.example
        let delivery = DeliveryID(
            workspace: desired.identityName, campaign: campaign.identityName, revision: campaign.revision,
            occurrence: example.occurrence)
        let encoded = Checker.request(of: campaign, in: desired, encoder: encoder, notification: delivery)
        let looks = try self.looks()
        let shown = strings.map { file in looks.map { $0.filled(from: file.texts) } } ?? filled(looks)
        return PreviewReport(
            workspace: desired.name, app: desired.app, remote: remote, campaign: campaign.name,
            revision: campaign.revision,
            delivery: delivery, audience: campaign.audienceReason, at: example.scheduledAt,
            division: campaign.localSchedule.map { .waves($0) } ?? campaign.rollout.map { .stages($0) }
                ?? campaign.variantTest.map { .variants($0) },
            isMeant: campaign.isMeant(for: remote.name),
            looks: shown,
            request: encoded.request.withoutDevices, payload: payload(of: encoded.request),
            size: PlannedPayload(bytes: encoded.bytes, limit: encoded.limit),
            diagnostics: encoded.findings + missingTexts(looks))
    }

    /// The looks with the texts of the workspace's catalogs.
    private func filled(_ looks: [NotificationLook]) -> [NotificationLook] {
        desired.strings.map { catalog in looks.map { $0.filled(from: catalog) } } ?? looks
    }

    private func looks() throws -> [NotificationLook] {
        let looks = campaign.looks(
            on: remote.type, by: remote.type.encoder, segments: desired.segmentsByName, profiles: desired.deviceProfiles
        )
        let wanted = looks.filter { platform == nil || $0.platform == platform }
        if let platform, wanted.isEmpty {
            throw Failure(
                .usage,
                "\(campaign.name) reaches no \(platform.rawValue) device through \(remote.name); leave --platform out")
        }
        return wanted
    }

    /// The payload that a remote without a service in between sends to every device; nil when the service builds it.
    private func payload(of request: PushRequest) -> JSONValue? {
        switch remote.type {
        case .leancloud: nil
        case .apns: request.body["payload"]
        }
    }

    /// Warnings about keys without a text in the file.
    private func missingTexts(_ looks: [NotificationLook]) -> [Diagnostic] {
        guard let strings else { return [] }
        func missing(_ field: ContentField, _ look: NotificationLook, _ text: LocalizableText?) -> Diagnostic? {
            guard case .localized(let key, _) = text, strings.texts.texts[key] == nil else { return nil }
            return Diagnostic(
                .warning, .unknownReference, "\(strings.name) has no text for the key \(quoted(key))",
                at: campaign.origin.range(of: campaign.message.path(field, for: look.platform)),
                help: "the app shows the key itself, unless it has the text elsewhere")
        }
        return looks.flatMap { look in
            [
                missing(.title, look, look.title),
                missing(.subtitle, look, look.subtitle),
                missing(.body, look, look.body),
            ].compactMap { $0 }
        }
    }
}

/// The file given with `--strings`.
struct LocalizedFile: Sendable {
    let name: String
    let texts: LocalizedStrings

    /// Reads a `strings` file, or a string catalog if the path ends in `.xcstrings`.
    ///
    /// - Throws: ``Failure`` when the file cannot be read; with `invalid` and the place when it cannot be parsed.
    init(_ path: String) throws {
        name = path
        let bytes = try InputFile.read(path)
        texts = try Failure.reporting { () throws(Diagnostic) in
            path.hasSuffix(".xcstrings")
                ? try StringCatalog(bytes, file: path).strings() : try LocalizedStrings(strings: bytes, file: path)
        }
    }
}

// MARK: - Expand

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
