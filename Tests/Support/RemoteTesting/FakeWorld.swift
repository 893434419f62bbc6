internal import Base
package import Push

/// Everything a push service in memory knows: what was recorded, what waits, and what reached the devices.
package struct FakeWorld: Sendable {
    /// The server's clock; moved by ``advance(_:)`` only, so that what falls due on the way happens.
    package private(set) var now: Instant
    /// Every ledger object, of one delivery perhaps several.
    package var ledger: [LedgerEntry] = []
    /// The orders to stop deliveries.
    package var stops: [StopOrder] = []
    /// True once `ledger start` was run.
    package var ledgerStarted = false
    /// The other workspaces that have deliveries.
    package var neighbours: [String: Int] = [:]
    /// The resources that were deployed.
    package var resources: [ResourceRecord] = []
    /// The lock's record.
    package var lock: LockRecord?
    /// The pushes that are kept for later.
    package var kept: [KeptPush] = []
    /// The pushes that were made, with when their records can be read.
    package var records: [MadePush] = []
    /// The messages that each device received, in order.
    package var inboxes: [String: [String]]
    /// The number of devices a condition reaches; without one, as many as there are inboxes.
    package var audiences: [Digest: AudienceCount] = [:]
    /// The breakdown of a condition's audience; without one, as many devices as it reaches.
    package var explanations: [Digest: AudienceCount] = [:]
    /// The sample of installations.
    package var installations = InstallationSample(size: 0)
    /// The delay of a record after its push was made.
    package var recordDelay = Duration.zero
    /// The status in the record of every push from now on instead of done; nothing reaches a device then.
    package var recordStanding: PushRecord.Standing?
    /// The counts in the record of every push from now on; nil: that every device got it.
    package var recordFigures: DeliveryFigures?
    /// What the service says in the record of every push from now on that it waits for.
    package var recordWait: Reason?
    /// The stop that the service tells of in the record of every push from now on.
    package var recordStop: StopOrder?
    /// True if the service is a bugle-server, whose console stops pushes.
    package var isBugleServer = false
    /// By how many answers the list of pushes kept for later is behind.
    package var listsAreLateBy = 0
    /// The contents of the next lists of scheduled pushes; nil, and when there are none left: the true ones.
    package var staleLists: [[ScheduledPush]?] = []
    /// The outcomes of the next requests that send; when there are none left, the service takes them.
    package var answers: [FakeAnswer] = []
    /// When each request that sends was written.
    package var sentAt: [Instant] = []
    /// The number of times that a kind of read still fails.
    package var failingReads: [FakeRead: Int] = [:]
    /// The outcomes of the next writes of a name, such as `update sent`.
    package var failingWrites: [String: [FakeWriteFailure]] = [:]
    /// The outcomes of the next devices' requests of a remote with a journal; when there are none left, all are taken.
    package var deviceAnswers: [FakeDeviceAnswer] = []
    /// The devices that the audience of a remote with a journal lacks, by reason; told of what waits for a later try.
    package var leftOut: [LeftOut: Int] = [:]
    /// The journals, by the id of the request.
    package var journals: [DeliveryID: FakeJournal] = [:]
    /// True if a scheduled push ignores that it was cancelled.
    package var ignoresCancel = false

    private var lists: [[ScheduledPush]] = []
    private var taken: [String: (at: Instant, objectID: String)] = [:]
    private var arrivals: [(at: Instant, request: PushRequest)] = []
    private var lastNumber = 0

    init(now: Instant, devices: [String]) {
        self.now = now
        inboxes = Dictionary(uniqueKeysWithValues: devices.map { ($0, []) })
    }

    /// Moves the clock; scheduled pushes fire and late requests arrive at their own instants.
    package mutating func advance(_ duration: Duration) {
        let end = now + duration
        while true {
            let push = kept.filter { $0.push.at <= end }.min { $0.push.at < $1.push.at }
            let arrival = arrivals.filter { $0.at <= end }.min { $0.at < $1.at }
            if let arrival, push.map({ arrival.at <= $0.push.at }) ?? true {
                now = max(now, arrival.at)
                arrivals.removeAll { $0.at == arrival.at }
                _ = take(arrival.request)
            } else if let push {
                now = max(now, push.push.at)
                kept.removeAll { $0.push.id == push.push.id }
                fire(push.request, objectID: push.objectID)
            } else {
                break
            }
        }
        now = max(now, end)
    }

    /// Takes a request as the service does: one `req_id` is one push for five minutes.
    package mutating func take(_ request: PushRequest) -> String {
        let id = request.body["req_id"]?.string ?? ""
        if let before = taken[id], now - before.at < .seconds(300) { return before.objectID }
        lastNumber += 1
        let objectID = "push\(lastNumber)"
        taken[id] = (now, objectID)
        if let at = request.body["push_time"]?.string.flatMap({ Instant($0) }), at - now >= .seconds(60) {
            kept.append(
                KeptPush(
                    push: ScheduledPush(
                        id: Int64(lastNumber), notificationID: request.body["notification_id"]?.string, at: at),
                    request: request, objectID: objectID))
        } else {
            fire(request, objectID: objectID)
        }
        return objectID
    }

    /// The list of pushes kept for later, as the service answers it now.
    mutating func list() -> [ScheduledPush] {
        lists.append(kept.map(\.push))
        if !staleLists.isEmpty, let stale = staleLists.removeFirst() { return stale }
        let answer = lists.count - 1 - listsAreLateBy
        return answer < 0 ? [] : lists[answer]
    }

    /// Lets a request arrive later, although its sender gives up now.
    mutating func arrive(_ request: PushRequest, after delay: Duration) { arrivals.append((now + delay, request)) }

    private mutating func fire(_ request: PushRequest, objectID: String) {
        if recordStanding == nil {
            let message = request.body["data"]?["id"]?.string ?? "?"
            for device in inboxes.keys { inboxes[device]?.append(message) }
        }
        records.append(
            MadePush(
                notificationID: request.body["notification_id"]?.string ?? "", visibleAt: now + recordDelay,
                record: PushRecord(
                    objectID: objectID, recordStanding ?? .done,
                    figures: recordFigures
                        ?? DeliveryFigures(
                            devices: inboxes.count, successes: recordStanding == nil ? inboxes.count : 0,
                            invalidTokens: 0), wait: recordWait, stop: recordStop)))
    }
}

/// A push that is kept for later.
package struct KeptPush: Sendable {
    /// The contents of the list.
    package var push: ScheduledPush
    /// The request.
    package var request: PushRequest
    /// The id that the service gave it.
    package var objectID: String
}

/// A push that was made.
package struct MadePush: Sendable {
    /// The id that its request bore.
    package var notificationID: String
    /// From when on the record can be read.
    package var visibleAt: Instant
    /// The status of the record.
    package var record: PushRecord
}

/// The outcome of a request that sends.
package enum FakeAnswer: Hashable, Sendable {
    /// Taken.
    case accept
    /// Refused; nothing is sent.
    case refuse
    /// Put off; nothing is sent.
    case putOff(after: Duration?)
    /// There is no connection; nothing is sent.
    case unreachable
    /// The credentials are not taken; nothing is sent.
    case unauthorized
    /// The answer is lost, and so is the request.
    case lostRequest
    /// The answer is lost after the request was taken.
    case lostAnswer
    /// The sender gives up, and the request arrives so much later.
    case late(Duration)
}

/// The kinds of reads that can be made to fail.
package enum FakeRead: Hashable, Sendable {
    /// The clock.
    case now
    /// The ledger.
    case ledger
    /// The resources.
    case resources
    /// The list of pushes kept for later.
    case scheduled
    /// The lock.
    case lock
    /// Records by any id.
    case record
    /// Counts.
    case count
    /// The breakdown of audiences.
    case explanation
}

/// The failure of a write.
package enum FakeWriteFailure: Hashable, Sendable {
    /// Nothing was written.
    case refused
    /// It was written, and nobody knows.
    case lostAnswer
    /// Nothing was written, and what was before is gone.
    case ledgerLost
    /// So much time passes while it is written.
    case slow(Duration)
}
