internal import JSONValue
internal import PushModel

/// Reads the lines of a snapshot file; those of a kind that it does not know are passed over.
struct SnapshotReader {
    private var fields: SnapshotFields
    private var workspace: String?
    private var remote: RemoteDescription?
    private var now: Instant?
    private var state = RemoteState(now: Instant(milliseconds: 0))
    private var isEnded = false

    /// Reads the first line.
    ///
    /// - Throws: ``SnapshotError`` when it is not a snapshot, or of another major version.
    init(_ bytes: [UInt8]) throws(SnapshotError) {
        fields = SnapshotFields(bytes)
        guard bytes.starts(with: Array((SnapshotRecord.head.rawValue + "\t").utf8)), fields.nextLine() else {
            throw .notASnapshot
        }
        _ = try fields.text()
        let version = try fields.text()
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }) else { throw .notASnapshot }
        guard major == BugleVersion.majorFormat else { throw .majorVersion(version) }
    }

    /// Reads the rest.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func read() throws(SnapshotError) -> Snapshot {
        while fields.nextLine() {
            guard !isEnded else { throw fields.damage }
            if let record = fields.record() { try read(record) }
        }
        guard isEnded, fields.isAtEndOfFile, let workspace, let remote, let now else { throw fields.damage }
        state.now = now
        for index in state.ledger.indices { state.ledger[index].workspace = workspace }
        return Snapshot(workspace: workspace, remote: remote, state: state)
    }

    private mutating func read(_ record: SnapshotRecord) throws(SnapshotError) {
        switch record {
        case .head: throw fields.damage
        case .entry: state.ledger.append(try entry())
        case .workspace: workspace = try fields.text()
        case .remote:
            remote = RemoteDescription(
                name: try fields.text(), type: try fields.must(RemoteType(rawValue: try fields.text())),
                title: try fields.text(), fingerprint: try fields.digest())
        case .now: now = try fields.instant()
        case .ledgerStarted: state.ledgerStarted = try fields.flag()
        case .lock:
            state.lock = LockRecord(
                holder: try fields.text(), run: try fields.text(), fence: try fields.integer(),
                acquiredAt: try fields.optionalInstant(), expiresAt: try fields.instant())
        case .lastApplied:
            let last = try lastApplied()
            state.lock?.lastApplied = last
        case .resource: state.resources.append(try resource())
        case .scheduled:
            state.scheduled.append(
                ScheduledPush(
                    id: Int64(try fields.integer()), notificationID: try fields.optionalText(),
                    at: try fields.instant()))
        case .evidence: state.evidence[try fields.deliveryID()] = try evidence()
        case .audience:
            state.audiences[try fields.digest()] = AudienceCount(
                devices: try fields.integer(), innerQuery: try fields.optionalInteger())
        case .explanation:
            state.explanations[try fields.digest()] = AudienceExplanation(
                devices: try fields.integer(), timeZoneSample: try fields.optionalInteger())
        case .explained: try readExplained()
        case .sample: state.installations = InstallationSample(size: try fields.integer())
        case .sampledChannel: try readCount(\.channels)
        case .sampledProfile: try readCount(\.deviceProfiles)
        case .subscribers: try readCount(\.subscribers)
        case .bearers: try readCount(\.bearers)
        case .end:
            guard try fields.integer() == fields.line - 1 else { throw fields.damage }
            isEnded = true
        }
    }

    private mutating func lastApplied() throws(SnapshotError) -> LastApplied {
        LastApplied(
            commit: try fields.optionalText(), committedAt: try fields.optionalInstant(), at: try fields.instant(),
            run: try fields.optionalText())
    }

    private mutating func readCount(
        _ counts: WritableKeyPath<InstallationSample, [String: Int]>
    ) throws(SnapshotError) {
        let (name, number) = (try fields.text(), try fields.integer())
        state.installations?[keyPath: counts][name] = number
    }

    private mutating func resource() throws(SnapshotError) -> ResourceRecord {
        let kind = try fields.must(ResourceKind(rawValue: try fields.text()))
        let (name, isProtected, json) = (try fields.text(), try fields.flag(), try fields.text())
        return ResourceRecord(
            kind: kind, name: name, fields: try fields.must(try? JSONValue(parsing: json, limits: .anyMemory)),
            isProtected: isProtected)
    }

    /// A part of an explanation, which stands before it; what a later version tells apart besides is passed over.
    private mutating func readExplained() throws(SnapshotError) {
        let condition = try fields.digest()
        let kind = SnapshotExplained(rawValue: try fields.text())
        let (name, devices) = (try fields.text(), try fields.integer())
        guard state.explanations[condition] != nil else { throw fields.damage }
        switch kind {
        case .platform: state.explanations[condition]?.platforms[name] = devices
        case .deviceProfile: state.explanations[condition]?.deviceProfiles[name] = devices
        case .timeZone: state.explanations[condition]?.timeZones[name] = devices
        case .skipped:
            if let reason = AudienceExplanation.Skip(rawValue: name) {
                state.explanations[condition]?.skipped[reason] = devices
            }
        case nil: break
        }
    }

    private mutating func evidence() throws(SnapshotError) -> Evidence {
        switch try fields.text() {
        case "none": return .none
        case "failed": return .failed(Snapshot.unrecordedReason)
        case "journal":
            return .journal(
                JournalState(
                    targets: try fields.integer(), answered: try fields.integer(), inDoubt: try fields.integer(),
                    waiting: try fields.integer(),
                    lastOutcomeAt: try fields.optionalInteger().map { Instant(milliseconds: Int64($0)) },
                    refused: fields.hasMore ? try fields.integer() : 0))
        case "found":
            return .found(
                PushRecord(
                    objectID: try fields.optionalText(),
                    PushRecord.Standing(
                        isScheduled: try fields.flag(), hasEnded: try fields.flag(), hasFailed: try fields.flag()),
                    figures: DeliveryFigures(
                        devices: try fields.integer(), successes: try fields.integer(),
                        invalidTokens: try fields.integer(), simulated: fields.hasMore ? try fields.integer() : 0)))
        default: throw fields.damage
        }
    }

    private mutating func entry() throws(SnapshotError) -> LedgerEntry {
        let delivery = try fields.deliveryID()
        var entry = LedgerEntry(
            delivery: delivery, generation: try fields.integer(),
            notificationID: try fields.optionalDeliveryID() ?? delivery, workspace: "", campaign: try fields.text(),
            revision: try fields.integer(), occurrence: try fields.optionalOccurrence() ?? .once,
            state: try fields.must(DeliveryState(rawValue: try fields.text())), request: nil,
            fingerprint: try fields.digest(), content: try fields.digest(), encoder: try fields.integer(),
            intendedAt: Instant(milliseconds: Int64(try fields.integer())),
            scheduledAt: try fields.optionalInteger().map { Instant(milliseconds: Int64($0)) },
            window: .milliseconds(try fields.integer()),
            expiresAt: try fields.optionalInteger().map { Instant(milliseconds: Int64($0)) },
            objectID: try fields.optionalText(), isMissed: try fields.flag(), fence: try fields.integer(),
            provenance: Provenance())
        if let devices = try fields.optionalInteger() {
            entry.figures = DeliveryFigures(
                devices: devices, successes: try fields.integer(), invalidTokens: try fields.integer())
            if fields.hasMore {
                entry.figures?.inDoubt = try fields.integer()
                entry.figures?.missed = try fields.integer()
            }
        } else {
            // Each figure has its place where none is known as well.
            for _ in 0..<4 where fields.hasMore { _ = try fields.optionalInteger() }
        }
        if fields.hasMore { entry.document = try fields.optionalDigest() }
        if fields.hasMore, let simulated = try fields.optionalInteger() { entry.figures?.simulated = simulated }
        return entry
    }
}

extension Snapshot {
    /// Reads a file that ``bytes`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SnapshotError`` with `notASnapshot` for anything else, `majorVersion` for another major format,
    ///   `damaged`, naming the line, when it is cut off or cannot be read.
    package static func read(_ bytes: [UInt8]) throws(SnapshotError) -> Snapshot {
        var reader = try SnapshotReader(bytes)
        return try reader.read()
    }
}
