internal import Base
package import DeviceRegistry
internal import HTTP
internal import LeanCloud
package import Push

/// The way back from a move: finds the devices that have registered here and are not, or only in an older version, at
/// the old service, and writes them there.
///
/// Nothing needs to be remembered between runs: a device that was written there has a later version there, so it is not
/// found again, and a run that was killed is simply repeated.
package struct DeviceReturn: Sendable {
    /// The result of a run.
    package struct Report: Sendable {
        /// The devices that registered here later than there.
        package internal(set) var found = 0
        /// The ids of the first of them.
        package internal(set) var examples: [String] = []
        /// The devices that were written there.
        package internal(set) var written = 0
        /// The devices that the service refused, by its words.
        package internal(set) var refused: [String: Int] = [:]
    }

    /// How far the clocks of both services may differ.
    private static let margin = Duration.seconds(600)
    private static let pageSize = 1000
    /// The requests under way at once.
    private static let width = 6
    /// The tries of a write of which it is unknown whether it was made; writing the same again changes nothing.
    private static let mostTries = 10
    private static let mostRestarts = 5
    private static let mostNamed = 20
    private static let mostReasons = 50

    private let registry: Registry
    private let api: LeanCloudAPI

    /// Prepares a return; sends no request yet.
    init(
        of registry: Registry, to connection: LeanCloudConnection, http: any HTTPExchanging,
        pausing: any Pausing = TaskPause()
    ) {
        self.registry = registry
        api = LeanCloudAPI(connection, http: http, pausing: pausing)
    }

    /// Prepares a return to an address; sends no request yet.
    ///
    /// - Throws: ``TransferError`` if no client can be created.
    package init(
        of registry: Registry, to url: String, applicationID: String, masterKey: String, caFile: String? = nil
    ) throws(TransferError) {
        let (connection, client) = try LivePull.connect(
            url, applicationID: applicationID, masterKey: masterKey, timeout: .seconds(30), caFile: caFile)
        self.init(of: registry, to: connection, http: client)
    }

    /// Finds the devices that were written here since a time, and writes them there if asked to.
    ///
    /// - Parameters:
    ///   - since: the time of the turn or before it; nil: the first complete copy from a live app.
    ///   - isWriting: false to find them only.
    ///   - progress: called with the numbers of devices found and written.
    /// - Returns: what was found and written.
    /// - Throws: ``TransferError`` if the time is not known or the address leads here; `RemoteError` if the service
    ///   cannot be reached: what was written there stays, and another run goes on.
    package func run(
        since: Instant?, isWriting: Bool, progress: @Sendable (_ found: Int, _ written: Int) -> Void = { _, _ in }
    ) async throws -> Report {
        let first = try await registry.copiedDevices()?.first
        guard let since = since ?? first else {
            throw TransferError(
                "no live app was copied into this registry: say with --since when the domain was turned")
        }
        let start = since - Self.margin
        let there = try await versions(since: start)
        var report = Report()
        var last = ""
        while true {
            let condition: JSONValue = ["updatedAt": ["$gte": start.typed], "objectId": ["$gt": .string(last)]]
            let query = ObjectQuery(where: condition, limit: Self.pageSize, order: ["objectId"])
            let page = try await registry.find(query, in: .installation, as: .master).results.compactMap(\.object)
            let arrived = page.filter { there.areOlder(than: $0) }
            report.found += arrived.count
            let ids = arrived.compactMap { $0["objectId"]?.string }
            report.examples += ids.prefix(Self.mostNamed - report.examples.count)
            if isWriting { try await write(arrived, &report) }
            progress(report.found, report.written)
            guard page.count == Self.pageSize, let end = page.last?["objectId"]?.string else { return report }
            last = end
        }
    }

    // MARK: Reading there

    /// Reads what was written there since a time: its ids, tokens and times.
    private func versions(since: Instant) async throws -> DeviceVersions {
        let changed: JSONValue = ["updatedAt": ["$gte": since.typed]]
        let scan = api.scan(
            ClassName.installation.name, where: changed, keys: DeviceVersions.keys, pageSize: Self.pageSize)
        for _ in 0...Self.mostRestarts {
            var versions = DeviceVersions()
            var position: ClassScan.Position? = .start
            var watch = ScanWatch(scan.className)
            do throws(ClassScan.Failure) {
                while let place = position {
                    let page = try await scan.page(at: place)
                    for device in page?.objects ?? [] { versions.add(device) }
                    position = page?.next
                    guard let page else { break }
                    do throws(RemoteError) { try watch.pass(page, at: place) } catch { throw .remote(error) }
                }
                return versions
            } catch {
                guard case .lostCursor = error else { throw error.remoteError }
            }
        }
        throw TransferError("the service keeps losing its cursor; run it again later")
    }

    // MARK: Writing there

    private func write(_ devices: [JSONObject], _ report: inout Report) async throws {
        // A throwing group would lose what the others have done.
        let results = await withTaskGroup(of: Result<Bool, RemoteError>.self) { group in
            var waiting = devices.makeIterator()
            var results: [Result<Bool, RemoteError>] = []
            for _ in 0..<Self.width {
                guard let device = waiting.next() else { break }
                group.addTask { await outcome(of: device) }
            }
            while let result = await group.next() {
                results.append(result)
                if case .failure(let error) = result, error.kind != .refused { continue }
                guard let device = waiting.next() else { continue }
                group.addTask { await outcome(of: device) }
            }
            return results
        }
        var failure: RemoteError?
        for result in results {
            switch result {
            case .success(let isWritten): report.written += isWritten ? 1 : 0
            case .failure(let error) where error.kind == .refused:
                let isKnown = report.refused[error.description] != nil || report.refused.count < Self.mostReasons
                report.refused[isKnown ? error.description : "other reasons", default: 0] += 1
            case .failure(let error): failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func outcome(of device: JSONObject) async -> Result<Bool, RemoteError> {
        do throws(RemoteError) {
            return .success(try await write(device))
        } catch {
            return .failure(error)
        }
    }

    /// Writes a device under its id, or registers it where the service does not know that; false if it has registered
    /// there meanwhile.
    ///
    /// The service finds a device that registers by its installation id, then by its token: however often it is written,
    /// it is one. Source: docs/background/leancloud/devices.md.
    private func write(_ device: JSONObject) async throws(RemoteError) -> Bool {
        let id = device["objectId"]?.string ?? ""
        let body = JSONValue.object(device.filter { !["objectId", "createdAt", "updatedAt", "ACL"].contains($0.key) })
        let isOlder: JSONValue = ["updatedAt": ["$lt": device["updatedAt"]?.instant?.typed ?? .null]]
        var call = APICall(
            .put, "/installations/\(id.percentEncoded)", query: [("where", isOlder.canonicalText)], body: body)
        var doubt: RemoteError?
        for attempt in 0..<Self.mostTries {
            switch try await api.write(call) {
            case .done: return true
            case .absent where call.method == .put, .conditionFailed where call.method == .put:
                // It may have registered there under another id, which a registration would find.
                if try await isThere(device) { return doubt != nil }
                call = APICall(.post, "/installations", body: body)
            case .absent, .conditionFailed:
                throw RemoteError(.refused, "POST /1.1/installations: the service has no such class")
            case .unknown(let error):
                doubt = error
                try await api.pause(for: api.pausing.backoff(attempt))
            }
        }
        throw doubt ?? RemoteError(.unavailable, "the device could not be written")
    }

    /// True if the service has a device, by whatever it is known, in a version that is not older.
    private func isThere(_ device: JSONObject) async throws(RemoteError) -> Bool {
        let names = (["objectId"] + DeviceVersions.keys).compactMap { key -> JSONValue? in
            guard let value = device[key]?.string, !value.isEmpty else { return nil }
            return [key: .string(value)]
        }
        let condition: JSONValue = [
            "$or": .array(names), "updatedAt": ["$gte": device["updatedAt"]?.instant?.typed ?? .null],
        ]
        let answer = try await api.read(
            "/installations", query: [("where", condition.canonicalText), ("keys", "objectId"), ("limit", "1")])
        return answer.value?["results"]?.array?.isEmpty == false
    }
}

/// When devices were last written at a service, by everything they are known by; hashes, because there may be millions.
struct DeviceVersions {
    /// What devices are known by besides their id.
    static let keys = ["deviceToken", "installationId"]

    private var times: [Int: Int64] = [:]

    mutating func add(_ device: JSONObject) {
        guard let time = device["updatedAt"]?.instant?.milliseconds else { return }
        for name in Self.names(of: device) { times[name] = max(times[name] ?? time, time) }
    }

    /// True if the device is not there at all, or was written there before.
    func areOlder(than device: JSONObject) -> Bool {
        guard let time = device["updatedAt"]?.instant?.milliseconds else { return false }
        return Self.names(of: device).allSatisfy { name in times[name].map { $0 < time } ?? true }
    }

    private static func names(of device: JSONObject) -> [Int] {
        (["objectId"] + keys).compactMap { key in
            guard let value = device[key]?.string, !value.isEmpty else { return nil }
            var hasher = Hasher()
            hasher.combine(key)
            // Apple's tokens come in either case.
            hasher.combine(key == "deviceToken" ? value.lowercased() : value)
            return hasher.finalize()
        }
    }
}
