internal import ArgumentParser
internal import FoundationEssentials
internal import PushServer

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a server with 10,000 simulated devices, of which nothing is kept.",
        discussion: """
            EXAMPLE
              bugle-server demo

            Its registry is in a temporary folder, which is removed when SIGTERM or SIGINT (Ctrl-C) ends it. Its devices \
            have the channels, fields, time zones and languages of the examples and of what 'bugle init' writes. The \
            first line of output says where it listens; then come the keys, the console's address and the next \
            commands. Settings and keys of the environment do not count.
            """)

    @Option(
        help: ArgumentHelp("The address to listen on, as HOST:PORT; port 0 picks a free one.", valueName: "HOST:PORT"))
    var listen = Self.usualAddress

    /// Where 'bugle init' and the examples look for it.
    private static let usualAddress = "127.0.0.1:8710"
    private static let deviceCount = 10_000

    func validate() throws {
        guard ListenAddress(listen) == nil else { return }
        throw ValidationError("--listen must be HOST:PORT, such as \(Self.usualAddress).")
    }

    func run() async throws {
        var loaded = LoadedSettings()
        guard let address = ListenAddress(listen) else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-demo-\(UUID().uuidString)")
        let registry = folder.appending(path: "devices.sqlite").path
        // A key that everybody knows is for this machine only.
        let key = address.isLoopback ? "demo-master-key-of-giants" : "demo-\(UUID().uuidString.lowercased())"
        loaded.settings.listen = address
        loaded.settings.data = .file(registry)
        loaded.settings.applicationID = "giants-demo"
        loaded.settings.masterKey = .environment("MASTER")
        loaded.settings.applicationKey = .environment("APP")
        loaded.settings.seedDevices = Self.deviceCount
        loaded.settings.logLevel = .warning
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = loaded
        try await ServerRun(environment: ["MASTER": key, "APP": "demo-app-key"]) { _ in
            settings
        } announce: { address, _ in
            Output.print(lines: greeting(address, key: key, registry: registry))
        }.run()
    }

    private func greeting(_ address: String, key: String, registry: String) -> String {
        let url = address == "http://\(Self.usualAddress)" ? "" : " --url \(address)"
        return """
            listening on \(address)
            10,000 simulated devices: nothing leaves this machine, and Ctrl-C removes everything.

              console      \(address)/console (log in with the master key)
              app id       giants-demo
              master key   \(key)
              app key      demo-app-key
              registry     \(registry)

            Next, in another terminal:

              export BUGLE_SERVER_KEY=\(key) && bugle init my-app\(url)
              bugle plan -C my-app
              bugle apply -C my-app
            """
    }
}
