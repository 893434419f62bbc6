internal import ArgumentParser
internal import Base
internal import Delivery
internal import FoundationEssentials
internal import Push
internal import PushReport
internal import Subprocess
internal import Synchronization

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

/// One run of `bugle dev`: it looks at the folder, plans after each change, and gives the page what it shows.
struct DevSession: Sendable {
    var common: CommonOptions
    let remote: RemoteOptions
    let against: String?
    let port: UInt16
    let writesSimulatorFiles: Bool
    private let memory = RemoteMemory()

    /// The time between two looks at the folder; a large folder is looked at less often.
    private static let pause = Duration.milliseconds(40)
    /// The time after which a remote that could not be asked is asked again.
    private static let retry = Duration.seconds(3)

    /// Runs until the process is ended.
    ///
    /// - Throws: ``Failure`` when there is no workspace, or the port cannot be listened on.
    func run() async throws {
        let folder = try Failure.reporting { () throws(Diagnostic) in
            try WorkspaceFinder.find(chosen: common.directory).directory
        }
        let console = Console.of(common)
        let pages = try DevPages(port: port)
        var files = writesSimulatorFiles ? SimulatorFiles(workspace: folder, console: console) : nil
        console.output("\(pages.address)\n")
        console.say("bugle: the page follows every save; Ctrl-C ends it")

        var stamp = self.stamp(of: folder)
        var page = LivePage(plan: nil)
        while true {
            let generation = await memory.generation
            let made = await build(beside: page.plan)
            page = made.page
            pages.show(page, made.options)
            if let desired = made.desired { await files?.write(desired) }
            let failed: ContinuousClock.Instant? = made.isRemotes ? ContinuousClock.now : nil
            // The next build: after a save, a fresh answer of the remote, or a while after it gave none.
            while true {
                let began = ContinuousClock.now
                let next = self.stamp(of: folder)
                let took = ContinuousClock.now - began
                if next != stamp {
                    stamp = await settled(next, of: folder)
                    break
                }
                if await memory.generation != generation { break }
                if let failed, ContinuousClock.now - failed > Self.retry { break }
                if pages.isWatched { await memory.refreshIfOld() }
                try await Task.sleep(for: max(Self.pause, took * 5))
            }
        }
    }

    private func stamp(of folder: String) -> [WorkspaceStamp] {
        [WorkspaceStamp(of: folder)] + [against].compactMap { $0.map(WorkspaceStamp.init(of:)) }
    }

    /// Waits until nothing changes any more: an editor writes, renames and touches in one go.
    private func settled(_ first: [WorkspaceStamp], of folder: String) async -> [WorkspaceStamp] {
        var last = first
        for _ in 0..<5 {
            try? await Task.sleep(for: .milliseconds(15))
            let next = stamp(of: folder)
            if next == last { break }
            last = next
        }
        return last
    }

    /// What became of the files as they are.
    private struct Made {
        var page: LivePage
        var options = ReportOptions()
        /// The desired state; nil when the files have errors.
        var desired: Workspace?
        /// True when it was the remote that gave no answer.
        var isRemotes = false
    }

    private func build(beside last: Plan?) async -> Made {
        var common = common
        func without(_ diagnostics: [Diagnostic], _ sentence: String?, _ sources: SourceFiles) -> Made {
            common.language = common.language ?? last?.language
            let printer = ReportPrinter(console: .of(common), sources: sources, language: common.language(in: nil))
            return Made(
                page: LivePage(plan: last, problem: LivePage.Problem(diagnostics, sentence: sentence)),
                options: printer.options())
        }
        do {
            var planning = try await PlanningSession(
                common, remote, targets: [], isRepeated: true, isReview: true, isOffline: against != nil)
            planning.bench.isReadingOnly = true
            do {
                let plan = try await plan(planning)
                return Made(
                    page: LivePage(plan: planning.completed(plan)), options: planning.bench.printing.options(),
                    desired: planning.desired)
            } catch {
                let failure = error as? Failure
                var made = without(
                    planning.bench.diagnostics + (failure?.diagnostics ?? []),
                    failure.map { $0.message ?? nil } ?? "\(error)", planning.bench.loaded.sources)
                (made.desired, made.isRemotes) = (planning.desired, true)
                return made
            }
        } catch let failure as Failure {
            return without(failure.diagnostics, failure.message, failure.sources)
        } catch {
            return without([], "\(error)", SourceFiles())
        }
    }

    private func plan(_ planning: PlanningSession) async throws -> Plan {
        if let against { return try planning.plan(recorded: against) }
        let (state, description) = try await memory.state(for: planning)
        return Planner.plan(planning.input(state, description: description, explainsAudiences: true)).plan
    }
}

/// The pages of `bugle dev` at 127.0.0.1: the plan's, its version, and the script that asks for it.
final class DevPages: Sendable {
    private struct State {
        var page: LivePage?
        var version = 0
        var html = ""
        var askedAt: ContinuousClock.Instant?
    }

    private let state: SharedState
    private let listener: StatusListener

    private final class SharedState: Sendable {
        let locked = Mutex(State())
    }

    /// Listens on a port; 0 takes a free one.
    ///
    /// - Throws: ``Failure`` when it cannot be listened on.
    init(port: UInt16) throws {
        let state = SharedState()
        self.state = state
        listener = try StatusListener("127.0.0.1:\(port)") { request in
            guard Self.isOurs(request) else {
                return StatusAnswer(
                    status: 403, type: "text/plain", body: "only this machine's own pages are answered\n")
            }
            return state.locked.withLock { state in
                if request.path == "/version" { state.askedAt = ContinuousClock.now }
                return Self.answer(request.path, state)
            }
        }
    }

    var address: String { "http://127.0.0.1:\(listener.port)/" }

    /// True while a browser shows the page.
    var isWatched: Bool {
        state.locked.withLock { state in
            state.askedAt.map { ContinuousClock.now - $0 < .seconds(3) } ?? false
        }
    }

    /// Shows a page, unless it is the one that is shown.
    func show(_ page: LivePage, _ options: ReportOptions) {
        let version = state.locked.withLock { $0.page == page ? nil : $0.version + 1 }
        guard let version else { return }
        let html = String(decoding: page.bytes(version: version, options: options), as: UTF8.self)
        state.locked.withLock { state in
            (state.page, state.version, state.html) = (page, version, html)
        }
    }

    private static func answer(_ path: String, _ state: State) -> StatusAnswer {
        switch path {
        case "/" where state.version == 0:
            StatusAnswer(status: 503, type: "text/plain", body: "the first plan is being made; ask again\n")
        case "/": StatusAnswer(status: 200, type: "text/html; charset=utf-8", body: state.html)
        case "/version": StatusAnswer(status: 200, type: "text/plain", body: "\(state.version)\n")
        case "/live.js":
            StatusAnswer(status: 200, type: "text/javascript; charset=utf-8", body: LivePage.script)
        default: StatusAnswer(status: 404, type: "text/plain", body: "there is one page: /\n")
        }
    }

    /// True for a request of a person at this machine or of the page itself: a foreign name that leads to 127.0.0.1 has
    /// another `Host`, and another site's page says where it is from.
    static func isOurs(_ request: StatusRequest) -> Bool {
        guard let host = request.headers["host"],
            ["127.0.0.1", "localhost"].contains(host.prefix { $0 != ":" }.lowercased())
        else { return false }
        if let origin = request.headers["origin"], origin.lowercased() != "http://" + host.lowercased() { return false }
        return ["none", "same-origin"].contains(request.headers["sec-fetch-site"] ?? "none")
    }
}

/// What `bugle dev` knows of the remote: read once, and asked further only for what a save asks anew.
actor RemoteMemory {
    /// Grows whenever the state was read again.
    private(set) var generation = 0
    private var kept: Kept?
    private var isRefreshing = false

    /// The age from which a state is read again.
    private static let oldest = Duration.seconds(60)

    private struct Kept {
        let key: Key
        let connected: Workbench.Connected
        var planning: PlanningSession
        var state: RemoteState
        var readAt: ContinuousClock.Instant
    }

    /// What another state belongs to when it differs.
    private struct Key: Hashable {
        let service: RemoteDeclaration.Service
        let ca: String?
        let timeout: Duration
        let workspace: String

        init(_ planning: PlanningSession) {
            service = planning.remote.service
            ca = planning.remote.ca
            timeout = planning.remote.timeout
            workspace = planning.desired.identityName
        }
    }

    /// The state that a plan of the files needs, and whose it is.
    ///
    /// - Throws: ``Failure`` and `RemoteError` as a plan does.
    func state(for planning: PlanningSession) async throws -> (RemoteState, RemoteDescription) {
        let key = Key(planning)
        let old = kept.flatMap { $0.key == key ? $0 : nil }
        let connected: Workbench.Connected
        if let old {
            connected = old.connected
        } else {
            connected = try await planning.bench.connect(
                planning.remote, workspace: planning.desired.identityName, retries: 0)
        }
        var known = old?.state
        // The sample counts the channels and profiles that the files had.
        if let old, Self.sampled(old.planning.desired) != Self.sampled(planning.desired) { known?.installations = nil }
        let state = try await Self.observe(connected, planning, from: known)
        kept = Kept(
            key: key, connected: connected, planning: planning, state: state,
            readAt: old?.readAt ?? ContinuousClock.now)
        return (state, connected.reader.description)
    }

    /// Begins to read the state again when it is old; a save in the meantime is planned with the old one.
    func refreshIfOld() {
        guard !isRefreshing, let kept, ContinuousClock.now - kept.readAt > Self.oldest else { return }
        isRefreshing = true
        Task {
            let state = try? await Self.observe(kept.connected, kept.planning)
            adopt(state, kept.key)
        }
    }

    private func adopt(_ state: RemoteState?, _ key: Key) {
        isRefreshing = false
        guard kept?.key == key else { return }
        // A remote that gives no answer is not asked again at once.
        kept?.readAt = ContinuousClock.now
        guard let state else { return }
        kept?.state = state
        generation += 1
    }

    private static func observe(
        _ connected: Workbench.Connected, _ planning: PlanningSession, from known: RemoteState? = nil
    ) async throws(RemoteError) -> RemoteState {
        let description = connected.reader.description
        return try await connected.reader.observe(from: known) {
            Planner.questions(planning.input($0, description: description, explainsAudiences: true))
        }
    }

    private static func sampled(_ desired: Workspace) -> [[String]] {
        [desired.channels.map(\.name), desired.deviceProfiles.map(\.name)]
    }
}

/// Files that Apple's simulator takes for pushes: each campaign's payload, and the app that it is for.
///
/// Source: Xcode's help of `simctl push`: a JSON file with an `aps` member and `Simulator Target Bundle`.
struct SimulatorFiles {
    private let folder: String
    private let console: Console
    private var written: [String: [UInt8]]?
    private var saidMissing = false

    /// Files in a folder of the workspace that neither its reader nor git looks into.
    init(workspace: String, console: Console) {
        folder = workspace + "/.apns"
        self.console = console
    }

    /// Writes what differs from the last time, removes what is no campaign any more, and shows what has changed in the
    /// simulator that is booted, if there is one.
    mutating func write(_ desired: Workspace) async {
        var files: [String: [UInt8]] = [:]
        for campaign in desired.campaigns {
            guard let payload = Self.payload(of: campaign, in: desired) else { continue }
            files[campaign.name + ".apns"] = Array((payload.canonicalText + "\n").utf8)
        }
        if files.isEmpty, !saidMissing {
            saidMissing = true
            console.say(
                "bugle: --simulator: no DeviceProfile says which app a campaign is for; declare one with its topic")
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if written == nil { try OutputFile.write(Array("*\n".utf8), to: folder + "/.gitignore") }
            for (name, bytes) in files.sorted(by: { $0.key < $1.key }) where written?[name] != bytes {
                try OutputFile.write(bytes, to: folder + "/" + name)
                if written != nil { await Self.show(folder + "/" + name) }
            }
        } catch {
            console.say("bugle: \(folder) cannot be written")
        }
        for name in (written ?? [:]).keys where files[name] == nil {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        written = files
    }

    /// The payload that Apple would get, with its app; nil when no profile names the app, or no device shows it.
    static func payload(of campaign: Campaign, in desired: Workspace) -> JSONValue? {
        let content = campaign.message.content(for: .ios)
        let wanted = campaign.audience.deviceProfile
        let profiles = desired.deviceProfiles.filter { $0.vendor == .apns }.filter {
            wanted == nil ? $0.environment == campaign.environment : $0.name == wanted
        }
        guard campaign.audience.platforms.isEmpty || campaign.audience.platforms.contains(.ios),
            let profile = profiles.first(where: \.isDefault) ?? profiles.first
        else { return nil }
        let type = content.effectivePushType
        let delivery = DeliveryID(
            workspace: desired.identityName, campaign: campaign.identityName, revision: campaign.revision,
            occurrence: campaign.example.occurrence)
        var payload = APNsPayload.body(content, badge: 1, deliveryID: delivery).withoutPersonalValues
        payload["Simulator Target Bundle"] = .string(type.bundleID(of: profile.topic))
        return payload
    }

    /// Hands a file to the booted simulator; where there is no Xcode, nothing happens.
    private static func show(_ file: String) async {
        _ = try? await Subprocess.run(
            .name("xcrun"), arguments: ["simctl", "push", "booted", file], output: .discarded, error: .discarded)
    }
}

extension JSONValue {
    /// The value with the defaults in the places for values of the device.
    var withoutPersonalValues: JSONValue {
        switch self {
        case .string(let text):
            guard PersonalText.mayBe(text), let personal = try? PersonalText(text) else { return self }
            let words = personal.pieces.map { piece in
                switch piece {
                case .words(let words): words
                case .value(let value): value.default
                }
            }
            return .string(words.joined())
        case .array(let elements): return .array(elements.map(\.withoutPersonalValues))
        case .object(let members): return .object(members.mapValues(\.withoutPersonalValues))
        case .null, .bool, .integer, .number: return self
        }
    }
}
