internal import Base
package import DeviceRegistry
internal import HTTP
internal import LeanCloud
package import Push

/// Copies classes of a live app into a registry.
///
/// A class is read to its end and then once more for changes made meanwhile. The position is stored together with the
/// objects of each page, so the next run continues one that was killed; only a ledger comes over as a whole. For a
/// class copied before, only later changes are requested. Objects deleted at the source in the meantime stay here.
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
    init(
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
        let known = try await registry.transferProgress(of: key).flatMap(PullState.init) ?? PullState()
        var state = all ? PullState(first: known.first) : known
        if case .done(let since) = state.phase { state = PullState(phase: .changes(since: since), first: state.first) }
        silence.begin()
        var report = TransferReport(name)
        var watch = ScanWatch(name)
        var restarts = 0
        var read: [JSONObject] = []
        var answer = await self.answer(name, state)
        while true {
            let page: ClassScan.Page?
            switch answer {
            case .success(let answered): page = answered
            case .failure(.remote(let error)): throw silence.isOver ? silent(error) : error
            case .failure(.lostCursor):
                guard restarts < Self.mostRestarts else {
                    throw TransferError(
                        "\(name): the service keeps losing its cursor; run it again later", isPassing: true)
                }
                restarts += 1
                watch = ScanWatch(name)
                state.position = .start
                read = []
                answer = await self.answer(name, state)
                continue
            }
            guard let page else {
                guard known.copiedUntil == nil else {
                    throw TransferError(
                        "\(name): the service has no such class any more; what was copied stays", isPassing: true)
                }
                return nil
            }
            try watch.pass(page, at: state.position)
            try state.advance(past: page)
            let reached = state
            // While one page is written, the service looks for the next.
            async let next: Result? = reached.isDone ? nil : self.answer(name, reached)
            read += page.objects
            // To an apply, what is not in the ledger was never delivered: there is none here before it is whole.
            if className != .ledger || reached.copiedUntil != nil {
                try await take(read, into: className, &report, TransferProgress(name: key, value: reached.json))
                read = []
            }
            progress(name, report.read)
            if let next = await next {
                answer = next
                continue
            }
            report.behind = page.date.flatMap { now in reached.copiedUntil.map { max(.zero, now - $0) } }
            if className.isInstallation { report.keptAside = try await registry.supersededDevices() }
            return report
        }
    }

    /// The service's answer to the question for the page at a place.
    private func answer(_ name: String, _ state: PullState) async -> Result<ClassScan.Page?, ClassScan.Failure> {
        do throws(ClassScan.Failure) {
            return .success(try await scan(name, state.phase).page(at: state.position))
        } catch {
            return .failure(error)
        }
    }

    /// The number of deliveries still open in the copied ledger: the old service keeps their pushes, or may have sent
    /// them.
    ///
    /// - Throws: `RegistryError` when the registry fails.
    package func openDeliveries(at now: Instant = .system) async throws -> Int {
        // One that was scheduled stays so once its time has passed: the service has sent it, and nobody says so.
        let isOpen: JSONValue = [
            "$or": [
                ["state": ["$in": ["unknown", "cancelling"]]],
                ["state": "scheduled", "scheduledAt": ["$gt": .string(now.isoText)]],
            ]
        ]
        let query = ObjectQuery(where: isOpen, limit: 0, countsAll: true)
        do throws(RegistryError) {
            return try await registry.find(query, in: .ledger, as: .master).count ?? 0
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
                + "run it again to go on, or allow more with --timeout", isPassing: true)
    }

    private func scan(_ name: String, _ phase: PullState.Phase) -> ClassScan {
        var condition: JSONValue?
        if case .changes(let since) = phase {
            condition = ["updatedAt": ["$gte": (since - .seconds(60)).typed]]
        }
        // A ledger entry holds a whole request: with more of the largest, a page would exceed the 16 MiB of one
        // response.
        let size = name.hasPrefix("Bugle") ? min(pageSize, 200) : pageSize
        return LeanCloudAPI(connection, http: silence, pausing: silence).scan(name, where: condition, pageSize: size)
    }

    private func take(
        _ read: [JSONObject], into className: ClassName, _ report: inout TransferReport, _ progress: TransferProgress
    ) async throws {
        var objects: [TransferredObject] = []
        for members in read {
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

// MARK: - Connecting

extension LivePull {
    /// The number of retries of a request, with pauses of up to 30 s, or to the end of a minute whose quota is used up.
    private static let retries = 10

    /// Prepares a copy from an address; sends no request yet.
    ///
    /// - Parameters:
    ///   - registry: the registry that receives the objects.
    ///   - url: the app's base URL; `http` only for this machine.
    ///   - applicationID: the App ID.
    ///   - masterKey: the key that signs the requests; it is never sent or printed.
    ///   - silence: the timeout for a server that gives no useful response.
    ///   - caFile: a PEM file of CAs to trust in addition to the system's.
    ///   - pageSize: the objects per request, 1 to 1,000.
    ///   - progress: called with the class and the number of objects read, after each page.
    /// - Throws: ``TransferError`` if no client can be created.
    package init(
        into registry: Registry, url: String, applicationID: String, masterKey: String,
        silence: Duration = defaultSilence, caFile: String? = nil, pageSize: Int = 500,
        progress: @escaping @Sendable (_ className: String, _ read: Int) -> Void = { _, _ in }
    ) throws(TransferError) {
        let (connection, client) = try Self.connect(
            url, applicationID: applicationID, masterKey: masterKey, timeout: silence, caFile: caFile)
        self.init(
            into: registry, from: connection, http: client, silence: silence, pageSize: pageSize, progress: progress)
    }

    /// Prepares the requests to a live app; sends none yet.
    static func connect(
        _ url: String, applicationID: String, masterKey: String, timeout: Duration, caFile: String?
    ) throws(TransferError) -> (LeanCloudConnection, HTTPClient) {
        do throws(HTTP.TransportError) {
            let client = try HTTPClient(HTTPClient.Configuration(caFile: caFile, userAgent: "bugle-server"))
            let connection = LeanCloudConnection(
                url: url, appId: applicationID, masterKey: Secret(masterKey), timeout: timeout, retries: retries)
            return (connection, client)
        } catch {
            throw TransferError(error.description)
        }
    }
}

// MARK: - Following

extension LivePull {
    /// The pause between two looks of a copy that goes on.
    package static let defaultPause = Duration.seconds(10)
    /// The lag below which a copy keeps step with its service.
    package static let inStep = Duration.seconds(60)

    /// What one look of a copy that goes on brought.
    package enum Look: Sendable {
        /// What each class brought, and how far the copy was behind the service at its end.
        case copied([TransferReport], behind: Duration)
        /// The service could not be asked; the next look goes on where this one ended.
        case failed(String)
    }

    /// Copies what changes in some classes, again and again, until the task is cancelled.
    ///
    /// - Throws: ``TransferError`` if the address leads to this registry's own server by now, or the registry fails;
    ///   `RemoteError` for refused credentials. What the service fails at otherwise is told, and tried again.
    package func follow(_ names: [String], every pause: Duration = defaultPause, _ tell: (Look) -> Void) async throws {
        // What a look copied before it failed is in no report.
        var hasFailed = false
        while true {
            // A look that gave up was told; what it has waited is not counted against the next one.
            silence.begin()
            try await silence.pause(for: pause)
            do {
                try await checkSource()
                var reports: [TransferReport] = []
                for name in names {
                    if let report = try await copy(name) { reports.append(report) }
                }
                // An apply may have written a resource only.
                let isNewer = reports.contains { $0.className.hasPrefix("Bugle") && $0.added + $0.updated > 0 }
                if hasFailed || isNewer { try await continueFences() }
                hasFailed = false
                tell(.copied(reports, behind: reports.compactMap(\.behind).max() ?? .zero))
            } catch  where Self.mayPass(error) {
                hasFailed = true
                tell(.failed("\(error)"))
            }
        }
    }

    /// True if another try of a copy may end without this error.
    package static func mayPass(_ error: any Error) -> Bool {
        if let error = error as? RemoteError { return error.kind != .credentials }
        return (error as? TransferError)?.isPassing ?? false
    }

    /// Checks that the address does not lead to this registry's own server, as a domain does once it was turned.
    ///
    /// - Throws: ``TransferError`` if it does.
    package func checkSource() async throws {
        let own = try await Journal(registry).identity()
        silence.begin()
        let health = HTTPRequest(.get, connection.url + "/health", timeout: .seconds(10))
        guard let answer = try? await silence.exchange(health), answer.headers["X-Bugle-Registry"] == own else {
            return
        }
        throw TransferError(
            "\(connection.url) leads to the server of this very registry: the domain has turned, and nothing of the old "
                + "service can be copied through it any more; name an address that still leads there")
    }
}

// MARK: - Deployed

extension LivePull {
    /// Continues each workspace's fence where the old lock stood, although the lock itself is never copied.
    ///
    /// Every object of a ledger carries the fence of the apply that wrote it, and an apply may not overwrite an object
    /// with a later fence: if the lock started at 1 again, no apply could write to the copied objects. The lock is left
    /// free.
    ///
    /// - Throws: `RegistryError` when the registry fails.
    package func continueFences(at now: Instant = .system) async throws {
        for (workspace, fence) in try await fences() {
            let lock = try ClassName("BugleLock")
            let found = try await objects(ObjectQuery(where: ["workspace": .string(workspace)]), in: lock)
            if found.isEmpty {
                _ = try await registry.create(
                    [
                        "workspace": .string(workspace), "holder": "", "run": "", "fence": .integer(fence),
                        "expiresAt": .string(Instant(milliseconds: 0).isoText), "ACL": [:],
                    ], in: lock, as: .master, at: now)
            }
            for object in found where (object["fence"]?.integer ?? 0) < fence {
                guard let id = object["objectId"]?.string else { continue }
                _ = try await registry.update(id, in: lock, with: ["fence": .integer(fence)], as: .master, at: now)
            }
        }
    }

    /// The highest fence of each workspace.
    private func fences() async throws -> [String: Int64] {
        var fences: [String: Int64] = [:]
        try await forEachDeployed(keys: ["workspace", "fence"]) { object in
            guard let workspace = object["workspace"]?.string, let fence = object["fence"]?.integer else { return }
            fences[workspace] = max(fences[workspace] ?? 0, fence)
        }
        return fences
    }

    /// Searches for classes that deployed segments and campaigns point to but that have no objects here: devices that
    /// match through such an object get no pushes.
    ///
    /// - Parameters:
    ///   - copied: classes not to check: they were copied, even if empty.
    ///   - others: classes pointed to from elsewhere.
    /// - Returns: the names of the classes, sorted.
    /// - Throws: `RegistryError` when the registry fails.
    package func missingClasses(besides copied: [String], and others: Set<String> = []) async throws -> [String] {
        var classes = others
        try await forEachDeployed(keys: ["fields", "request"]) { object in
            for key in ["fields", "request"] {
                // These are stored as JSON texts.
                guard let text = object[key]?.string, let value = try? JSONValue(parsing: text, limits: .anyMemory)
                else { continue }
                collectClasses(in: value, into: &classes)
            }
        }
        var missing: [String] = []
        for name in classes.subtracting(copied).sorted() {
            let first = try await objects(ObjectQuery(limit: 1), in: try ClassName(name))
            if first.isEmpty { missing.append(name) }
        }
        return missing
    }

    /// Calls `body` for everything deployed, in all workspaces.
    private func forEachDeployed(keys: [String], _ body: (JSONValue) -> Void) async throws {
        for name in ["BugleLedger", "BugleResource"] {
            var query = ObjectQuery(limit: 1000, keys: keys)
            while true {
                let page = try await objects(query, in: try ClassName(name))
                for object in page { body(object) }
                if page.count < query.limit { break }
                query.skip += page.count
            }
        }
    }

    /// The objects of a class that match a query; none when the class does not exist.
    private func objects(_ query: ObjectQuery, in className: ClassName) async throws -> [JSONValue] {
        do throws(RegistryError) {
            return try await registry.find(query, in: className, as: .master).results
        } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
    }
}

extension Workspace {
    /// The classes other than devices used in conditions of segments and campaigns: without their objects no device
    /// matches.
    package var pointedClasses: Set<String> {
        var classes: Set<String> = []
        for condition in segments.map(\.condition) + campaigns.compactMap(\.audience.condition) {
            collectClasses(in: condition, into: &classes)
        }
        return classes
    }
}

/// Collects the classes other than devices used in a condition, or in a value that contains conditions.
func collectClasses(in value: JSONValue, into classes: inout Set<String>) {
    switch value {
    case .object(let members):
        for (key, member) in members {
            if let name = pointedClass(key, member), name != "_Installation" { classes.insert(name) }
            collectClasses(in: member, into: &classes)
        }
    case .array(let elements): for element in elements { collectClasses(in: element, into: &classes) }
    case .null, .bool, .integer, .number, .string: break
    }
}

private func pointedClass(_ key: String, _ argument: JSONValue) -> String? {
    switch key {
    // The short form is the condition itself, and queries users.
    case "$inQuery", "$notInQuery": argument["className"]?.string ?? "_User"
    case "$select", "$dontSelect": argument["query"]?["className"]?.string
    case "$relatedTo": argument["object"]?["className"]?.string
    default: nil
    }
}
