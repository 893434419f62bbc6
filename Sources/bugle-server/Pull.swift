internal import ArgumentParser
internal import Base
internal import DeviceRegistry
internal import FoundationEssentials
internal import Push
internal import PushServer

struct Pull: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies the devices, the ledger and the resources of a live app into the data file.",
        discussion: """
            EXAMPLES
              bugle-server pull --from https://push.example.com --app-id giants
              bugle-server pull --from https://push.example.com --app-id giants --follow

            The app's master key comes from the environment variable LEANCLOUD_MASTER_KEY; it signs the requests and \
            is never sent. Nothing is written there.

            _Installation, BugleLedger and BugleResource are copied with their ids, times and ACLs; BugleLock never \
            is, but a free lock goes on counting where it stood. \
            Its progress is kept in the data file: a run that was interrupted is continued by the next one, and a run \
            after a complete one asks only for what was written since. So: pull, point the domain to the new server, \
            pull once more. With --follow it goes on asking, and says how far the copy is behind, until it is stopped: \
            however it ends, the next run goes on.

            Installations that LeanCloud removes in the meantime are not removed here; Apple's answers to the next push \
            do that. Classes that conditions of the deployed segments and campaigns, or of the workspace, point to are \
            named at the end: without them no device fits these conditions. Of _User, sign-in data is left out.

            What is left out is counted by reason and the first are named by id. Exit codes: 0 everything was taken that is \
            ever kept, 8 something else was left out, 1 failed (run it again to go on), 3 the settings file or the workspace \
            is wrong, 64 wrong usage.
            """)

    @Option(help: ArgumentHelp("The app's base URL, such as https://push.example.com.", valueName: "URL"))
    var from: String

    @OptionGroup var app: LiveAppOptions

    @OptionGroup var options: RegistryOptions

    @Option(name: .customLong("class"), help: ArgumentHelp("Copy this class as well (repeatable).", valueName: "CLASS"))
    var classes: [String] = []

    @Option(help: ArgumentHelp("Give up after failing for this long, such as 30s or 5m.", valueName: "DURATION"))
    var timeout = LivePull.defaultSilence.configurationText

    @Option(help: ArgumentHelp("Objects a request, 1 to 1000.", valueName: "COUNT"))
    var pageSize = 500

    @Flag(help: "Copy everything again from the start.")
    var all = false

    @Flag(help: "Go on copying what changes, and say how far the copy is behind.")
    var follow = false

    @Option(help: ArgumentHelp("With --follow, the pause between two looks, 1s to 1h.", valueName: "DURATION"))
    var every = LivePull.defaultPause.configurationText

    func validate() throws {
        guard (1...1000).contains(pageSize) else { throw ValidationError("--page-size takes 1 to 1000.") }
        guard silence != nil else { throw ValidationError("--timeout takes a time such as 30s or 5m.") }
        guard pause != nil else { throw ValidationError("--every takes a time from 1s to 1h, such as 10s.") }
        try app.validate(from, of: "--from")
    }

    private var pause: Duration? {
        Duration(configurationText: every).flatMap {
            (Duration.seconds(1)...Duration.seconds(3600)).contains($0) ? $0 : nil
        }
    }

    private var silence: Duration? {
        Duration(configurationText: timeout).flatMap { $0 > .zero ? $0 : nil }
    }

    func run() async throws {
        let masterKey = try app.masterKey()
        let (data, pointedTo) = try await Output.reporting { try await options.read() }
        let registry = try await data.open(for: .transfer)
        defer { registry.close() }
        let line = TransferProgressLine()
        let pull = try LivePull(
            into: registry, url: from, applicationID: app.applicationID, masterKey: masterKey,
            silence: silence ?? LivePull.defaultSilence, caFile: app.ca, pageSize: pageSize
        ) { line.show($0, $1) }
        try await pull.checkSource()
        var isComplete = true
        defer { line.end() }
        let names = LivePull.classes + classes.filter { !LivePull.classes.contains($0) }
        do {
            for name in names {
                let report = try await pull.copy(name, all: all)
                line.end()
                Output.print(lines: report?.text ?? "\(name): the app has no such class")
                if let report, report.skippedCount > 0 { isComplete = false }
            }
        } catch  where follow && LivePull.mayPass(error) {
            Output.warn("\(error); asking again in \(every)")
        }
        try await pull.continueFences()
        let open = try await pull.openDeliveries()
        if open > 0 {
            Output.print(
                """
                \(open) deliveries of the ledger are open: the old service keeps their pushes and will send them, \
                or may have sent them. Settle them there ('bugle apply' on the old remote, with 'hold: true' to \
                cancel), or wait until they are sent, and pull once more before a plan is applied to the new server.
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
        if follow { try await follow(names, pull, line) }
        if let remains = await registry.remainsBesideFile() { Output.warn(remains) }
        if !isComplete { throw Output.inPart }
    }

    /// Copies what changes until the process ends: whenever that is, the next run goes on.
    private func follow(_ names: [String], _ pull: LivePull, _ line: TransferProgressLine) async throws {
        Output.print("following \(from): stop it with Control-C, and start it again at any time")
        var wasInStep: Bool?
        try await pull.follow(names, every: pause ?? LivePull.defaultPause) { look in
            line.end()
            switch look {
            case .copied(let reports, let behind):
                for report in reports where report.added + report.updated + report.skippedCount > 0 {
                    Output.print(lines: report.text)
                }
                let isInStep = behind < LivePull.inStep
                if isInStep != wasInStep || reports.contains(where: { $0.added + $0.updated > 0 }) {
                    Output.print(
                        "the copy is \(behind.roundedText) behind"
                            + (isInStep ? ": 'bugle migrate' says whether the domain may be turned" : ""))
                }
                wasInStep = isInStep
            case .failed(let why):
                Output.warn("\(why); asking again in \(every)")
                wasInStep = nil
            }
        }
    }
}

struct Return: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Finds the devices that registered here since the domain was turned, and writes them to the old service.",
        discussion: """
            EXAMPLES
              bugle-server return --to https://old.example.com --app-id giants
              bugle-server return --to https://old.example.com --app-id giants --write

            The way back from a move, while the old service lives: lead the domain back first, then write there what \
            registered here. Without --write nothing is written; what would be is counted, and the first are named by id.

            A device is written when its version here is later than the one there, found by its id, its installation id or \
            its token; a new one is registered there and gets an id of that service. So nothing there is replaced by an \
            older version, and a run that was interrupted is repeated until it finds none. The app's master key comes from \
            the environment variable LEANCLOUD_MASTER_KEY; it signs the requests and is never sent.

            Exit codes: 0 all were written or found, 8 the service refused some, 1 failed (run it again to go on), 3 the \
            settings file is wrong, 64 wrong usage.
            """)

    @Option(help: ArgumentHelp("The old service's base URL, not by the domain that was turned.", valueName: "URL"))
    var to: String

    @OptionGroup var app: LiveAppOptions

    @OptionGroup var options: RegistryOptions

    @Option(
        help: ArgumentHelp(
            "When the domain was turned, or before. Default: the first complete copy.", valueName: "INSTANT"))
    var since: String?

    @Flag(help: "Write them to the old service.")
    var write = false

    func validate() throws {
        guard since == nil || start != nil else {
            throw ValidationError("--since takes an instant such as 2026-12-01T14:00:00+08:00.")
        }
        try app.validate(to, of: "--to")
    }

    private var start: Instant? { since.flatMap { OffsetInstant($0)?.instant } }

    func run() async throws {
        let masterKey = try app.masterKey()
        let (data, _) = try await Output.reporting { try await options.read() }
        let registry = try await data.open(for: .upkeep)
        defer { registry.close() }
        let line = TransferProgressLine()
        defer { line.end() }
        try await LivePull(
            into: registry, url: to, applicationID: app.applicationID, masterKey: masterKey, caFile: app.ca
        ).checkSource()
        let work = try DeviceReturn(
            of: registry, to: to, applicationID: app.applicationID, masterKey: masterKey, caFile: app.ca)
        let report = try await work.run(since: start, isWriting: write) {
            line.show("_Installation", write ? $1 : $0, doing: write ? "devices written" : "devices found")
        }
        line.end()
        let what = report.found == 1 ? "1 device has" : "\(grouped(report.found)) devices have"
        Output.print("\(what) registered here later than at \(to)" + (write || report.found == 0 ? "" : ", such as:"))
        guard write else {
            for id in report.examples { Output.print("  \(id)") }
            if report.found > 0 { Output.print("nothing was written: --write writes them there") }
            return
        }
        Output.print("\(grouped(report.written)) written there")
        for (reason, count) in report.refused.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            Output.print("  \(grouped(count)) refused: \(reason)")
        }
        if !report.refused.isEmpty { throw Output.inPart }
    }
}

/// The options that name a live app, besides its address.
struct LiveAppOptions: ParsableArguments {
    @Option(name: .customLong("app-id"), help: ArgumentHelp("The app's id.", valueName: "ID"))
    var applicationID: String

    @Option(
        help: ArgumentHelp("A PEM file of certificate authorities to trust, besides the system's.", valueName: "FILE"))
    var ca: String?

    /// Checks the id, and the address that an option gives.
    ///
    /// - Throws: `ValidationError` if one of them is invalid.
    func validate(_ url: String, of option: String) throws {
        guard !applicationID.isEmpty else { throw ValidationError("--app-id is empty.") }
        guard let problem = WebAddress.problem(with: url) else { return }
        let meant = WebAddress.meant(by: url).map { "; say \(option) \($0)" } ?? ""
        throw ValidationError("\(option) \(problem)\(meant).")
    }

    /// The app's master key, from the environment.
    ///
    /// - Throws: `ValidationError` if there is none.
    func masterKey() throws -> String {
        guard let key = ProcessInfo.processInfo.environment["LEANCLOUD_MASTER_KEY"], !key.isEmpty else {
            throw ValidationError("The environment variable LEANCLOUD_MASTER_KEY holds no master key.")
        }
        return key
    }
}
