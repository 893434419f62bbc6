internal import ArgumentParser

/// Keeps a page of the plan while one writes.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Keeps a page of the plan in the browser while you write.",
        discussion: """
            EXAMPLES
              bugle dev
              bugle dev campaigns --against state.json --port 8080

            The page is that of 'bugle plan --format html', and every save renews it. Files with errors leave the last \
            plan where it is, below what is wrong at which line. Nothing is changed anywhere: whatever is no request \
            for reading is refused before it is sent. What the remote answered is kept between saves, so that only new \
            audiences are counted; it is read again once a minute while the page is looked at. Ctrl-C ends it.
            """)

    @Argument(help: ArgumentHelp("The workspace's folder, as with -C.", valueName: "DIR"))
    var directory: String?

    @Option(help: ArgumentHelp("The port of the page at 127.0.0.1. Default: a free one.", valueName: "PORT"))
    var port: UInt16 = 0

    @Option(help: ArgumentHelp("Plan against a recorded remote state: no network, no secret.", valueName: "SNAPSHOT"))
    var against: String?

    @Flag(
        help: """
            Write each campaign's payload to .apns/NAME.apns in the workspace, and give what changes to the booted \
            simulator (xcrun simctl push) on a Mac.
            """)
    var simulator = false

    @OptionGroup var remote: RemoteOptions

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if directory != nil, common.directory != nil {
            throw ValidationError("DIR and -C DIR say the same: leave one out")
        }
    }

    func run() async throws {
        try await running(common) {
            var common = common
            common.directory = directory ?? common.directory
            try await DevSession(
                common: common, remote: remote, against: against, port: port, writesSimulatorFiles: simulator
            ).run()
            return .success
        }
    }
}
