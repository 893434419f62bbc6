internal import ArgumentParser
internal import Base
internal import CLibrary

@main
struct SimulatorProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-simulator",
        abstract: "Simulates the push services of Apple and of Android's vendors on this machine.",
        discussion: """
            It answers POST /3/device/TOKEN, /4/broadcasts/apps/BUNDLE and /1/apps/BUNDLE/channels over HTTP/2 with TLS, \
            and checks what Apple checks; with --fcm also /v1/projects/PROJECT/messages:send and /token, as Google does, \
            with --harmony what Huawei has for HarmonyOS NEXT, and always Huawei, Honor, Xiaomi, OPPO and vivo: app \
            100001, key app-key, secret app-secret, package com.example.app. It prints first where it listens, then the \
            files that a workspace names: 'ca' for its authority, the provider key with its id and team, and accounts.

            The control port answers plain HTTP with JSON:

            \(ControlAPI.help)
            """)

    @Option(help: "The folder for its certificates and key; created if missing.")
    var state: String

    @Option(help: "The port on the loopback; 0 picks a free one.")
    var port = 0

    @Option(help: "The control endpoint's port on the loopback; 0 picks a free one.")
    var controlPort = 0

    @Option(help: "The environment of Apple's to simulate: development or production.")
    var environment = SimulatedEnvironment.production

    @Flag(help: "Accept every well-formed token.")
    var acceptEveryToken = false

    @Flag(help: "Keep only a count of pushes for each token: for a million devices and more.")
    var countsOnly = false

    @Option(help: "A bundle id to create a push certificate for, in the folder (repeatable).")
    var certificate: [String] = []

    @Option(
        help: """
            A Firebase project to stand for as well: a file of a service account for it is created in the folder \
            (repeatable).
            """)
    var fcm: [String] = []

    @Option(
        help: """
            A project of Huawei's with HarmonyOS NEXT to stand for as well, by its number: a file of a service account \
            for it is created in the folder (repeatable).
            """)
    var harmony: [String] = []

    @Option(help: "The most concurrent streams of a connection.")
    var maxStreams = 1000

    @Option(help: "The most streams before a valid provider token was used on the connection.")
    var firstStreams = 1

    @Option(help: "The threads that serve connections.")
    var threads = 1

    func validate() throws {
        for (name, value) in [("--port", port), ("--control-port", controlPort)] where !(0...65_535).contains(value) {
            throw ValidationError("\(name) is a number from 0 to 65535.")
        }
        for (name, value) in [("--max-streams", maxStreams), ("--first-streams", firstStreams)]
        where !(1...1_000_000).contains(value) {
            throw ValidationError("\(name) is a number from 1 to 1000000.")
        }
        for project in harmony where project.isEmpty || !project.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            throw ValidationError("--harmony is a project's number.")
        }
        guard (1...64).contains(threads) else { throw ValidationError("--threads is a number from 1 to 64.") }
    }

    func run() async throws {
        let signals = StopSignals()
        var configuration = SimulatorConfiguration()
        let folder = try StateFolder(state, now: configuration.clock.seconds)
        let certificates = try certificate.map(folder.certificatePath)
        let accounts = try fcm.map(folder.serviceAccount)
        let harmonyAccounts = try harmony.map(folder.harmonyAccount)
        configuration.identity = folder.identity
        configuration.port = port
        configuration.environment = environment
        configuration.acceptsEveryToken = acceptEveryToken
        configuration.recording = countsOnly ? .counts : .everything
        configuration.maxConcurrentStreams = maxStreams
        configuration.firstStreams = firstStreams
        configuration.threads = threads
        let simulator = try await APNsSimulator(configuration)
        simulator.register(folder.key.registered)
        for account in accounts { simulator.register(account.project) }
        for account in harmonyAccounts { simulator.register(account.project) }
        let control = try await ControlServer(simulator, port: controlPort)
        print("listening on \(simulator.url)")
        print("control on \(control.url)")
        print("ca \(folder.authorityPath)")
        print("key \(folder.keyPath)")
        print("key id \(folder.key.id)")
        print("team \(folder.key.team)")
        for file in certificates { print("certificate \(file)") }
        for account in accounts { print("service account \(account.path)") }
        for account in harmonyAccounts { print("harmony account \(account.path)") }
        fflush(nil)
        await signals.wait()
        await control.stop()
        await simulator.stop()
    }
}

extension SimulatedEnvironment: ExpressibleByArgument {}
