package import Basics
package import CurlHTTP
package import DeviceRegistry
internal import JSONValue
package import LeanCloudClient
internal import PushModel

/// Copies classes of a live app into a registry.
///
/// A class is read to its end and then once more for what changed meanwhile. How far it came is written together with
/// the objects of each page, so that a run that was killed is continued by the next one. A class that was copied before
/// is asked only for what was written since. What was removed there in the meantime stays here.
package struct LivePull: Sendable {
    /// What is copied without being asked: the devices, what was delivered to them, and what was deployed.
    package static let classes = ["_Installation", "BugleLedger", "BugleResource"]

    /// How long a server may say nothing.
    package static let defaultSilence = Duration.seconds(120)

    /// How often a class is begun anew in one run because its cursor got lost, which takes ten minutes each time.
    private static let mostRestarts = 5

    let registry: Registry
    private let connection: LeanCloudConnection
    private let silence: SilenceLimit
    private let pageSize: Int
    private let progress: @Sendable (_ className: String, _ read: Int) -> Void

    /// Prepares a copy; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - silence: gives up on a server that has said nothing for so long.
    ///   - pageSize: objects a request, 1 to 1,000.
    ///   - progress: told how many objects of a class were read, after each page.
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

    /// Copies one class; nil when the app has none of this name.
    ///
    /// - Parameter all: whether everything is read again, whatever was copied before.
    /// - Throws: ``TransferError`` when the class may not be moved or the registry fails; `RemoteError` when the app
    ///   cannot be asked. What was copied stays, and another run goes on.
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
                        throw TransferError("\(name): the service forgets its cursor again and again; run it later")
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

    /// Deliveries that the ledger, as it was copied, holds for open: their pushes are still where they were.
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
            // Neither here nor there was anything ever delivered.
            guard error.code == .notFound else { throw error }
            return 0
        }
    }

    private func silent(_ error: RemoteError) -> any Error {
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
        // An entry of the ledger holds a whole request: more of the longest would not fit one answer of 16 MiB.
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
