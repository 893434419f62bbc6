package import Base
package import Push

/// Reads a remote with LeanCloud's API, using only GET requests.
///
/// Deployment state is kept in the app's own storage, in the classes of ``StateClass``.
package struct LeanCloudReader: RemoteReading {
    package let description: RemoteDescription
    let workspace: String
    let api: LeanCloudAPI
    let fields = KnownFields()

    init(name: String, workspace: String, api: LeanCloudAPI) {
        description = LeanCloudRemote.description(name: name, connection: api.connection)
        self.workspace = workspace
        self.api = api
    }

    package var capabilities: Capabilities { LeanCloudRemote.capabilities }

    package var encoder: any RequestEncoding { LeanCloudEncoder() }

    package func now() async throws(RemoteError) -> Instant {
        let condition: JSONValue = ["workspace": .string(workspace)]
        let answer = try await api.read(
            "/classes/\(StateClass.lock.rawValue)", query: [("where", condition.canonicalText), ("limit", "1")])
        return try api.known(answer.date)
    }

    package func ledger() async throws(RemoteError) -> [LedgerEntry] {
        try await api.objects(of: .ledger, where: ["workspace": .string(workspace)]).objects
            .map { object throws(RemoteError) in try LedgerFields.entry(object.fields) }
    }

    package func stops() async throws(RemoteError) -> [StopOrder] { try await api.stops(of: workspace) }

    package func isLedgerStarted() async throws(RemoteError) -> Bool {
        try await api.isLedgerStarted(workspace)
    }

    package func neighbours() async throws(RemoteError) -> [String: Int] {
        var found: [String: Int] = [:]
        let path = "/classes/\(StateClass.ledger.rawValue)"
        // One request for each other workspace, however many deliveries it has; those of the first few are told.
        while found.count < 10 {
            let known = ([workspace] + found.keys.sorted()).map { JSONValue.string($0) }
            let others: JSONValue = ["workspace": ["$nin": .array(known)]]
            let answer = try await api.read(
                path, query: [("where", others.canonicalText), ("keys", "workspace"), ("limit", "1")])
            guard let object = answer.value?["results"]?.array?.first else { return found }
            guard let name = object["workspace"]?.string else {
                throw RemoteError(.unexpectedAnswer, "BugleLedger: an object has no workspace")
            }
            let own: JSONValue = ["workspace": .string(name)]
            let counted = try await api.read(
                path, query: [("where", own.canonicalText), ("count", "1"), ("limit", "0")])
            found[name] = counted.value?["count"]?.natural ?? 1
        }
        return found
    }

    package func resources() async throws(RemoteError) -> [ResourceRecord] {
        var latest: [ResourceName: (fence: Int, record: ResourceRecord)] = [:]
        for object in try await api.objects(of: .resource, where: ["workspace": .string(workspace)]).objects {
            guard let record = try ResourceFields.record(object.fields) else { continue }
            let fence = try object.fields.required("fence", \.natural)
            let name = ResourceName(kind: record.kind, name: record.name)
            // Of two objects of one resource (after a lost answer), the one from the later apply counts.
            if let known = latest[name], known.fence > fence { continue }
            latest[name] = (fence, record)
        }
        return latest.values.map(\.record).sorted { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }
    }

    package func lock() async throws(RemoteError) -> LockRecord? {
        guard let lock = try await api.oldestLock(of: workspace).lock, lock.record.fence > 0 else { return nil }
        return lock.record
    }
}

private struct ResourceName: Hashable {
    var kind: ResourceKind
    var name: String
}

extension LeanCloudAPI {
    /// The time from an answer, which must have one.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when it has none.
    func known(_ date: Instant?) throws(RemoteError) -> Instant {
        guard let date else {
            throw RemoteError(
                .unexpectedAnswer,
                "the service's answer has no Date header: bugle relies on the service's clock and cannot continue")
        }
        return date
    }

    /// The lock in force, the oldest of the workspace, and the server's time.
    func oldestLock(of workspace: String) async throws(RemoteError) -> (lock: LockObject?, now: Instant) {
        let (objects, date) = try await objects(of: .lock, where: ["workspace": .string(workspace)])
        let now = try known(date)
        guard let first = objects.min(by: { ($0.createdAt, $0.objectID) < ($1.createdAt, $1.objectID) }) else {
            return (nil, now)
        }
        return (try LockObject(first), now)
    }

    /// True when the mark of a started ledger exists.
    func isLedgerStarted(_ workspace: String) async throws(RemoteError) -> Bool {
        let condition: JSONObject = ["workspace": .string(workspace), "kind": .string(ResourceFields.ledgerMark)]
        return try await !objects(of: .resource, where: condition).objects.isEmpty
    }
}

// MARK: - Records

extension LeanCloudReader {
    /// The pushes that are scheduled for later.
    ///
    /// `expire_time` is the time of sending, despite its name; the outer `id` is the one to cancel with.
    /// Source: LeanCloud, "推送 REST API 使用指南", 定时推送.
    package func scheduledPushes() async throws(RemoteError) -> [ScheduledPush] {
        try await keptPushes().map(\.push)
    }

    package func keptPushes() async throws(RemoteError) -> [KeptPush] {
        let answer = try await api.read("/scheduledPushMessages")
        guard let results = answer.value?["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/scheduledPushMessages: the answer has no list of results")
        }
        var pushes: [KeptPush] = []
        for (index, result) in results.enumerated() {
            // A later time cannot be formatted.
            guard let id = result["id"]?.integer, let time = result["expire_time"]?.integer,
                (0...Instant.latest.milliseconds).contains(time), let message = result["push_msg"],
                message.object != nil
            else {
                throw RemoteError(
                    .unexpectedAnswer,
                    "GET /1.1/scheduledPushMessages: result \(index) has no 'id', 'expire_time' or 'push_msg'")
            }
            let push = ScheduledPush(
                id: id, notificationID: message["notificationId"]?.string, at: Instant(milliseconds: time))
            pushes.append(KeptPush(push: push, message: message))
        }
        return pushes
    }

    package func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord? {
        let path = "/notifications/\(notification.text.percentEncoded)"
        guard let value = try await api.read(path).value else { return nil }
        guard let members = value.object else { throw PushRecord.fault(path) }
        if members.isEmpty { return nil }
        if let results = members["results"] {
            guard let results = results.array else { throw PushRecord.fault(path) }
            guard let first = results.first else { return nil }
            return try PushRecord(first, at: path, notification: notification)
        }
        return try PushRecord(value, at: path, notification: notification)
    }

    package func record(objectID: String) async throws(RemoteError) -> PushRecord? {
        let path = "/tables/Notifications/\(objectID.percentEncoded)"
        guard let value = try await api.read(path).value else { return nil }
        if value == [:] { return nil }
        return try PushRecord(value, at: path, notification: nil)
    }
}

extension PushRecord {
    /// Reads a record from the service.
    ///
    /// `status` is `in-queue` (formerly `in queue`), `scheduled` or `done`; the words for failures are not documented,
    /// so any other word decides nothing. `errors` concerns single devices, except for the refusal of a large
    /// development audience.
    /// Source: LeanCloud, "推送通知总览", 推送记录.
    init(_ value: JSONValue, at path: String, notification: DeliveryID?) throws(RemoteError) {
        guard let status = value["status"]?.string else { throw Self.fault(path) }
        if let notification, let name = value["notificationId"]?.string, name != notification.text {
            throw Self.fault(path)
        }
        func counter(_ key: String, _ value: JSONValue?) throws(RemoteError) -> Int {
            guard let number = value?[key], !number.isNull else { return 0 }
            guard let count = number.natural else { throw Self.fault(path) }
            return count
        }
        let figures = DeliveryFigures(
            devices: try counter("devices", value), successes: try counter("successes", value),
            invalidTokens: try counter("invalidTokens", value),
            // Sent by bugle-server only.
            simulated: try counter("successes", value["simulated"]))
        let errors = value["errors"].map { $0.string ?? $0.canonicalText } ?? ""
        let refusal = RecordedRefusal.allCases.first { errors.contains($0.rawValue) }
        if let refusal, !figures.hasReached {
            self.init(objectID: value["objectId"]?.string, .refused(refusal), figures: figures)
            return
        }
        let standing: Standing =
            switch status {
            case "in-queue", "in queue": .queued
            case "scheduled": .scheduled
            case "done": .done
            default: .unknown(status.shortened(to: 100))
            }
        // Sent by bugle-server only.
        let isQueued = standing == .queued
        self.init(
            objectID: value["objectId"]?.string, standing, figures: figures,
            wait: isQueued ? Self.wait(value) : nil, stop: isQueued ? Self.stop(value["stopped"]) : nil)
    }

    /// Why a bugle-server has not handed a push on, and to which service if it is one; nil: it does not say.
    private static func wait(_ value: JSONValue) -> Reason? {
        guard let why = value["waiting"]?.string?.shortened(to: 200) else { return nil }
        guard let vendor = value["waitingFor"]?.string.flatMap({ PushVendor(rawValue: $0) }) else {
            return Reason(.serverWaits, .text(why))
        }
        return Reason(.serverWaitsFor, .text(vendor.title), .text(why))
    }

    /// The stop of a push in the console of a bugle-server; nil: nothing stops it.
    private static func stop(_ value: JSONValue?) -> StopOrder? {
        guard let value, let at = value["at"]?.instant else { return nil }
        let (by, why) = (value["by"]?.string ?? "", value["reason"]?.string ?? "")
        var order = StopOrder(key: "", by: by.shortened(to: 200), at: at, why: why.shortened(to: 200))
        order.isAtServer = true
        return order
    }

    static func fault(_ path: String) -> RemoteError {
        RemoteError(.unexpectedAnswer, "GET /1.1\(path): the answer is not a push record".shortened())
    }
}

// MARK: - Explaining

extension LeanCloudReader {
    /// The most installations that the service returns for a query.
    private static let page = 1000
    /// The most profiles, and platforms, whose devices are counted one by one.
    private static let mostNames = AudienceCount.mostNames

    /// A small audience fits into one answer. For a larger one the answer holds the newest devices, which show the time
    /// zones, and the platforms and profiles to count.
    ///
    /// "No profile" cannot be queried: devices with none of the given profiles, or of those found on the newest
    /// devices, count as having none, unless the newest devices have more profiles than are counted.
    package func explain(_ condition: JSONValue, deviceProfiles: [String]) async throws(RemoteError) -> AudienceCount {
        let now = try await knownTime()
        let served = served(condition, at: now)
        let answer = try await api.read(
            "/installations",
            query: [
                ("where", served.canonicalText), ("count", "1"), ("keys", "deviceProfile,deviceType,timeZone"),
                ("limit", String(Self.page)), ("order", "-updatedAt"),
            ])
        guard let value = answer.value else { return AudienceCount(devices: 0) }
        guard let devices = value["count"]?.natural, let results = value["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/installations: the answer has no count or list of results")
        }
        var explanation = AudienceCount(
            devices: devices, platforms: Self.names("deviceType", in: results),
            deviceProfiles: Self.names("deviceProfile", in: results),
            timeZones: AudienceCount.largest(Self.names("timeZone", in: results)))
        explanation.leftOut = try await leftOut(condition, reaching: devices, at: now)
        var questions: [Question: JSONValue] = [:]
        if let ways = api.clock.ways, ways != ["apple"] {
            for way in ways { questions[.way(way)] = Self.narrowed(served, by: Self.isReached([way])) }
        }
        if devices > results.count {
            explanation.timeZoneSample = results.count
            questions.merge(Self.platforms(served, explanation.platforms)) { first, _ in first }
            questions.merge(
                Self.profiles(served, explanation.deviceProfiles, declared: deviceProfiles)
            ) { first, _ in first }
        }
        return try await answered(questions, explanation)
    }

    /// A count besides the audience itself.
    private enum Question: Hashable {
        case platform(String)
        case profile(String)
        case way(String)
    }

    /// The number of devices for each string under a key; other clients write installations too, so other values count
    /// as none.
    private static func names(_ key: String, in installations: [JSONValue]) -> [String: Int] {
        installations.reduce(into: [:]) { names, installation in names[installation[key]?.string ?? "", default: 0] += 1
        }
    }

    private static func platforms(_ served: JSONValue, _ found: [String: Int]) -> [Question: JSONValue] {
        // A condition on the platform leaves no others.
        let possible = served["deviceType"] == nil ? Platform.allCases.map(\.rawValue) : []
        let names = Set(AudienceCount.largest(found).keys).union(possible)
        return Dictionary(
            uniqueKeysWithValues: names.filter { !$0.isEmpty }.map { name in
                (.platform(name), narrowed(served, by: ["deviceType": .string(name)]))
            })
    }

    private static func profiles(
        _ served: JSONValue, _ found: [String: Int], declared: [String]
    ) -> [Question: JSONValue] {
        let possible = served["deviceProfile"] == nil ? declared : []
        let seen = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        // A workspace can declare many, and apps can write many: the most frequent ones on devices come first.
        let names = (seen.prefix(mostNames / 2) + possible + seen.dropFirst(mostNames / 2))
            .filter { !$0.isEmpty && AudienceCount.isName($0) }
        var chosen: Set<String> = []
        for name in names where chosen.count < mostNames { chosen.insert(name) }
        return Dictionary(
            uniqueKeysWithValues: chosen.map { name in
                (.profile(name), narrowed(served, by: ["deviceProfile": .string(name)]))
            })
    }

    private func answered(
        _ questions: [Question: JSONValue], _ explanation: AudienceCount
    ) async throws(RemoteError) -> AudienceCount {
        var explanation = explanation
        let isSample = explanation.timeZoneSample != nil
        // True when the remaining devices certainly have no profile.
        let isWhole = explanation.deviceProfiles.keys.allSatisfy { $0.isEmpty || questions[.profile($0)] != nil }
        if isSample { (explanation.platforms, explanation.deviceProfiles) = ([:], [:]) }
        for (question, devices) in try await counts(questions) where devices > 0 {
            switch question {
            case .platform(let name): explanation.platforms[name] = devices
            case .profile(let name): explanation.deviceProfiles[name] = devices
            case .way(let name): explanation.ways[name == "apple" ? PushVendor.apns.rawValue : name] = devices
            }
        }
        if isSample, isWhole, explanation.otherDeviceProfiles > 0 {
            explanation.deviceProfiles[""] = explanation.otherDeviceProfiles
        }
        explanation.platforms = AudienceCount.largest(explanation.platforms)
        explanation.deviceProfiles = AudienceCount.largest(explanation.deviceProfiles)
        return explanation
    }
}
