internal import Base
internal import Push
internal import PushReport

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

    init(common: CommonOptions, remote: RemoteOptions, against: String?, port: UInt16, writesSimulatorFiles: Bool) {
        self.common = common
        self.remote = remote
        self.against = against
        self.port = port
        self.writesSimulatorFiles = writesSimulatorFiles
    }

    /// Runs until the process is ended.
    ///
    /// - Throws: ``Failure`` when there is no workspace, or the port cannot be listened on.
    func run() async throws {
        let folder: String
        do throws(Diagnostic) {
            folder = try WorkspaceFinder.find(chosen: common.directory).directory
        } catch {
            throw Failure(.invalid, diagnostics: [error])
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
            let printer = ReportPrinter(
                console: .of(common), sources: sources, language: common.language(in: nil))
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
