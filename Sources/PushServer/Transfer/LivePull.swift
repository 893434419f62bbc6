package import Base
package import HTTP
package import DeviceRegistry
package import LeanCloud
internal import Push

/// Copies classes of a live app into a registry.
///
/// A class is read to its end and then once more for changes made meanwhile. The position is stored together with the
/// objects of each page, so the next run continues one that was killed. For a class copied before, only later changes
/// are requested. Objects deleted at the source in the meantime stay here.
package struct LivePull: Sendable {
    /// The classes that are always copied: the devices, their deliveries, and the deployed resources.
    package static let classes = ["_Installation", "BugleLedger", "BugleResource"]

    /// The default timeout for a silent server.
    package static let defaultSilence = Duration.seconds(120)

    /// The most restarts of a class in one run because its cursor was lost, which takes ten minutes each time.
    private static let mostRestarts = 5

    let registry: Registry
    private let connection: LeanCloudConnection
    private let silence: SilenceLimit
    private let pageSize: Int
    private let progress: @Sendable (_ className: String, _ read: Int) -> Void

    /// Prepares a copy; sends no request yet.
    ///
    /// - Parameters:
    ///   - registry: the registry that receives the objects.
    ///   - connection: the app's address and credentials.
    ///   - http: the client that sends the requests.
    ///   - pausing: the waits between attempts.
    ///   - silence: the timeout for a server that gives no useful response.
    ///   - pageSize: the objects per request, 1 to 1,000.
    ///   - progress: called with the class and the number of objects read, after each page.
    package init(
        into registry: Registry, from connection: LeanCloudConnection, http: any HTTPExchanging,
        pausing: any Pausing = TaskPause(), silence: Duration = defaultSilence, pageSize: Int = 500,
        progress: @escaping @Sendable (_ className: String, _ read: Int) -> Void = { _, _ in }
    ) {
        self.registry = registry
        self.connection = connection
        self.silence = SilenceLimit(silence, http: http, pausing: pausing)
        self.pageSize = pageSize
        self.progress = progress
    }

    /// Copies one class; nil when the app has no class with this name.
    ///
    /// If `all` is true, everything is read again, even if it was copied before.
    ///
    /// - Throws: ``TransferError`` if the class may not be transferred or the registry fails; `RemoteError` if the app
    ///   cannot be reached. What was copied stays, and another run continues.
    package func copy(_ name: String, all: Bool = false) async throws -> TransferReport? {
        let className = try transferable(name)
        let key = connection.url + " " + connection.appId + " " + name
        var state =
            all ? PullState() : try await registry.transferProgress(of: key).flatMap(PullState.init) ?? PullState()
        if case .done(let since) = state.phase { state = PullState(phase: .changes(since: since)) }
        var report = TransferReport(name)
        var watch = ScanWatch(name)
        var restarts = 0
        while true {
            let page: ClassScan.Page?
            do throws(ClassScan.Failure) {
                page = try await scan(name, state.phase).page(at: state.position)
            } catch {
                switch error {
                case .remote(let error): throw silence.isOver ? silent(error) : error
                case .lostCursor:
                    guard restarts < Self.mostRestarts else {
                        throw TransferError("\(name): the service keeps losing its cursor; run it again later")
                    }
                    restarts += 1
                    watch = ScanWatch(name)
                    state.position = .start
                    continue
                }
            }
            guard let page else { return nil }
            try watch.pass(page, at: state.position)
            try state.advance(past: page)
            let isAtEnd = state.isDone
            try await take(page, into: className, &report, TransferProgress(name: key, value: state.json))
            progress(name, report.read)
            guard isAtEnd else { continue }
            if className.isInstallation { report.keptAside = try await registry.supersededDevices() }
            return report
        }
    }

    /// The number of deliveries still open in the copied ledger: their pushes are still at the old service.
    ///
    /// - Throws: `RegistryError` when the registry fails.
    package func openDeliveries() async throws -> Int {
        var query = ObjectQuery()
        query.condition = ["state": ["$in": ["scheduled", "sending", "cancelling"]]]
        query.limit = 0
        query.countsAll = true
        let ledger = try ClassName("BugleLedger")
        do throws(RegistryError) {
            return try await registry.find(query, in: ledger, as: .master).count ?? 0
        } catch {
            // No ledger on either side: nothing was ever delivered.
            guard error.code == .notFound else { throw error }
            return 0
        }
    }

    private func silent(_ error: RemoteError) -> any Error {
        if let mistrust = silence.mistrust {
            return TransferError(
                "\(connection.url) cannot be trusted: \(mistrust). Nothing was asked of it; --ca names a PEM file of further "
                    + "authorities")
        }
        let said = silence.lastStatus.map { "has answered only with errors (\($0))" } ?? "has said nothing"
        return TransferError(
            "\(connection.url) \(said) for \(silence.limit.configurationText) (\(error.description)); what was copied stays: "
                + "run it again to go on, or allow more with --timeout")
    }

    private func scan(_ name: String, _ phase: PullState.Phase) -> ClassScan {
        var condition: JSONValue?
        if case .changes(let since) = phase {
            condition = [
                "updatedAt": ["$gte": ["__type": "Date", "iso": .string((since - .seconds(60)).isoText)]]
            ]
        }
        // A ledger entry holds a whole request: with more of the largest, a page would exceed the 16 MiB of one
        // response.
        let size = name.hasPrefix("Bugle") ? min(pageSize, 200) : pageSize
        return LeanCloudAPI(connection, http: silence, pausing: silence).scan(name, where: condition, pageSize: size)
    }

    private func take(
        _ page: ClassScan.Page, into className: ClassName, _ report: inout TransferReport, _ progress: TransferProgress
    ) async throws {
        var objects: [TransferredObject] = []
        for members in page.objects {
            do throws(RegistryError) {
                objects.append(try TransferredObject(members, of: className))
            } catch {
                report.skip(error.description, at: "object \(members["objectId"]?.string ?? "?")")
            }
        }
        let outcomes = try await registry.transfer(objects, into: className, progress: progress)
        for (object, outcome) in zip(objects, outcomes) {
            report.note(outcome, of: object, at: "object \(object.objectID)")
        }
    }
}
