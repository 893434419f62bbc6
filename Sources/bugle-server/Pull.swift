internal import ArgumentParser
internal import DeviceRegistry
internal import FoundationEssentials
internal import Push
internal import PushServer

/// `bugle-server pull`.
struct Pull: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies the devices, the ledger and the resources of a live app into the data file.",
        discussion: """
            EXAMPLE
              bugle-server pull --from https://push.example.com --app-id giants

            The app's master key comes from the environment variable LEANCLOUD_MASTER_KEY; it signs the requests and \
            is never sent. Nothing is written there.

            _Installation, BugleLedger and BugleResource are copied with their ids, times and ACLs; BugleLock never \
            is, but a free lock goes on counting where it stood. \
            Its progress is kept in the data file: a run that was interrupted is continued by the next one, and a run \
            after a complete one asks only for what was written since. So: pull, point the domain to the new server, \
            pull once more.

            Installations that LeanCloud removes in the meantime are not removed here; Apple's answers to the next push \
            do that. Classes that conditions of the deployed segments and campaigns, or of the workspace, point to are \
            named at the end: without them no device fits these conditions. Of _User, sign-in data is left out.

            What is left out is counted by reason and the first are named by id. Exit codes: 0 everything was taken that is \
            ever kept, 8 something else was left out, 1 failed (run it again to go on), 3 the settings file or the workspace \
            is wrong, 64 wrong usage.
            """)

    @Option(help: ArgumentHelp("The app's base URL, such as https://push.example.com.", valueName: "URL"))
    var from: String

    @Option(name: .customLong("app-id"), help: ArgumentHelp("The app's id.", valueName: "ID"))
    var applicationID: String

    @OptionGroup var options: RegistryOptions

    @Option(name: .customLong("class"), help: ArgumentHelp("Copy this class as well (repeatable).", valueName: "CLASS"))
    var classes: [String] = []

    @Option(help: ArgumentHelp("Give up after failing for this long, such as 30s or 5m.", valueName: "DURATION"))
    var timeout = LivePull.defaultSilence.configurationText

    @Option(help: ArgumentHelp("Objects a request, 1 to 1000.", valueName: "COUNT"))
    var pageSize = 500

    @Option(
        help: ArgumentHelp("A PEM file of certificate authorities to trust, besides the system's.", valueName: "FILE"))
    var ca: String?

    @Flag(help: "Copy everything again from the start.")
    var all = false

    func validate() throws {
        guard (1...1000).contains(pageSize) else { throw ValidationError("--page-size takes 1 to 1000.") }
        guard !applicationID.isEmpty else { throw ValidationError("--app-id is empty.") }
        guard silence != nil else { throw ValidationError("--timeout takes a time such as 30s or 5m.") }
        if let problem = WebAddress.problem(with: from) {
            let meant = WebAddress.meant(by: from).map { "; say --from \($0)" } ?? ""
            throw ValidationError("--from \(problem)\(meant).")
        }
    }

    private var silence: Duration? {
        Duration(configurationText: timeout).flatMap { $0 > .zero ? $0 : nil }
    }

    func run() async throws {
        guard let masterKey = ProcessInfo.processInfo.environment["LEANCLOUD_MASTER_KEY"], !masterKey.isEmpty else {
            throw ValidationError("The environment variable LEANCLOUD_MASTER_KEY holds no master key.")
        }
        let (data, pointedTo) = try await Output.reporting { try await options.read() }
        let registry = try await data.open(for: .transfer)
        defer { registry.close() }
        let line = TransferProgressLine()
        let pull = try LivePull(
            into: registry, url: from, applicationID: applicationID, masterKey: masterKey,
            silence: silence ?? LivePull.defaultSilence, caFile: ca, pageSize: pageSize
        ) { line.show($0, $1) }
        var isComplete = true
        defer { line.end() }
        for name in LivePull.classes + classes.filter({ !LivePull.classes.contains($0) }) {
            let report = try await pull.copy(name, all: all)
            line.end()
            Output.print(lines: report?.text ?? "\(name): the app has no such class")
            if let report, report.skippedCount > 0 { isComplete = false }
        }
        try await pull.continueFences()
        let open = try await pull.openDeliveries()
        if open > 0 {
            Output.print(
                """
                \(open) deliveries of the ledger are open: their pushes are still kept by the old service and will be \
                sent from there. Cancel them there ('bugle plan' on the old remote with 'hold: true'), or wait until \
                they are sent and pull once more, before a plan is applied to the new server.
                """)
        }
        let missing = try await pull.missingClasses(besides: classes, and: pointedTo)
        if !missing.isEmpty {
            Output.print(
                """
                Segments or campaigns point to \(missing.joined(separator: ", ")), not copied: no device fits their conditions. \
                Copy what they need: add \(missing.map { "--class " + $0 }.joined(separator: " ")).
                """)
        }
        if !isComplete { throw TransferCommand.inPart }
    }
}
