internal import Base

/// A recorded remote state, so that a plan can be made without a network and without a secret.
///
/// It holds counts, states, times, hashes and the fields of resources. It never holds a request, a device token, the
/// text of a message, or text that a service or a person wrote about a delivery.
package struct Snapshot: Sendable {
    /// The workspace whose deliveries it holds.
    package var workspace: String
    /// The remote it was recorded from.
    package var remote: RemoteDescription
    /// The state of the remote. Ledger entries have no request, reason or provenance, and failures have no reason.
    package var state: RemoteState

    package init(workspace: String, remote: RemoteDescription, state: RemoteState) {
        self.workspace = workspace
        self.remote = remote
        self.state = state
    }

    /// The file: one line per entry, sorted; equal states give equal bytes.
    package var bytes: [UInt8] { Self.record.json(of: self).bytes(reserving: state.ledger.count * 800 + 4096) }

    /// Reads a file that ``bytes`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SavedFileError`` for anything else, for another major format, and, naming the place, when it is
    ///   truncated or cannot be read.
    package static func read(_ bytes: [UInt8]) throws(SavedFileError) -> Snapshot {
        guard !bytes.starts(with: "bugle-snapshot\t".utf8) else { throw .olderFormat }
        guard let outline = JSONOutline(of: bytes), let head = Plan.document(outline.emptying(["ledger"])) else {
            throw unreadable(bytes)
        }
        guard head["ledger"] != nil, let version = head["formatVersion"]?.string,
            let major = version.split(separator: ".").first.flatMap({ Int($0) })
        else { throw .notASnapshot }
        guard major == BugleVersion.majorFormat else { throw .majorVersion(version) }
        do throws(RecordError) {
            var snapshot = try record.read(head)
            snapshot.state.ledger = try outline.elements("ledger", LedgerEntry.record)
            return snapshot
        } catch {
            throw .damagedSnapshot(error.text())
        }
    }

    /// Returns the error for a text that is not an object.
    private static func unreadable(_ bytes: [UInt8]) -> SavedFileError {
        guard bytes.starts(with: "{\n  \"formatVersion\"".utf8) else { return .notASnapshot }
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: bytes, limits: .anyMemory)
            return .notASnapshot
        } catch {
            return .damagedSnapshot(error.description)
        }
    }
}

extension SavedFileError {
    fileprivate static var notASnapshot: SavedFileError {
        SavedFileError(description: "not a recorded remote state; 'bugle plan --record' writes one")
    }

    /// The file is truncated, or a part cannot be read.
    fileprivate static func damagedSnapshot(_ place: String) -> SavedFileError {
        SavedFileError(description: "the recorded remote state is damaged: \(place); record it again with --record")
    }

    fileprivate static var olderFormat: SavedFileError {
        SavedFileError(
            description: """
                an older bugle recorded this remote state, in lines of text that \(BugleVersion.tool) does not read; \
                record it again with --record
                """)
    }

    fileprivate static func majorVersion(_ version: String) -> SavedFileError {
        SavedFileError(
            description: """
                the recorded remote state has format \(version), and \(BugleVersion.tool) reads format \
                \(BugleVersion.majorFormat); record it again with --record
                """)
    }
}

// MARK: - Record

extension Snapshot {
    static let record = Record<Snapshot>(
        Snapshot(workspace: "", remote: .blank, state: RemoteState(now: .distantPast)),
        [
            Field(group: ReportHead.record, { _ in ReportHead() }, { _, _ in }),
            ReportHead.workspace({ $0.workspace }, { $0.workspace = $1 }),
            Field(group: RemoteDescription.record, { $0.remote }, { $0.remote = $1 }),
            Field("now", .time, "The server's clock.", { $0.state.now }, { $0.state.now = $1 }),
            Field(
                "ledgerStarted", .flag, "True when the ledger's beginning is known.", { $0.state.ledgerStarted },
                { $0.state.ledgerStarted = $1 }),
            Field(
                optional: "neighbours", .counts, "The ledger entries of other workspaces.", unless: [:],
                { $0.state.neighbours ?? [:] }, { $0.state.neighbours = $1 }),
            Field(optional: "lock", .record(LockRecord.record), "The lock.", { $0.state.lock }, { $0.state.lock = $1 }),
            Field(
                optional: "installations", .record(InstallationSample.record), "A sample of installations.",
                { $0.state.installations }, { $0.state.installations = $1 }),
            Field(
                optional: "resources", .lines(of: ResourceRecord.record), "The deployed resources.", unless: [],
                { $0.state.resources.sorted { ($0.kind.order, $0.name) < ($1.kind.order, $1.name) } },
                { $0.state.resources = $1 }),
            Field(
                optional: "scheduled", .lines(of: ScheduledPush.record), "Pushes kept for later.", unless: [],
                { $0.state.scheduled.sorted { ($0.at, $0.id) < ($1.at, $1.id) } }, { $0.state.scheduled = $1 }),
            Field(
                optional: "evidence",
                Keyed.lines(
                    "notificationId", .delivery, KeptEvidence.record, Keyed(key: .blank, value: KeptEvidence(.none))),
                "The results of look-ups.", unless: [:], { $0.state.evidence.mapValues { KeptEvidence($0) } },
                { $0.state.evidence = $1.mapValues(\.evidence) }),
            Field(
                optional: "audiences",
                Keyed.lines(
                    "condition", .digest, AudienceCount.sizeRecord,
                    Keyed(key: .blank, value: AudienceCount(devices: 0))),
                "Audiences that were counted.", unless: [:], { $0.state.audiences }, { $0.state.audiences = $1 }),
            Field(
                optional: "explanations",
                Keyed.lines(
                    "condition", .digest, AudienceCount.record,
                    Keyed(key: .blank, value: AudienceCount(devices: 0))),
                "The breakdown of audiences.", unless: [:], { $0.state.explanations }, { $0.state.explanations = $1 }),
            Field(
                "ledger", .lines(of: LedgerEntry.record), "The ledger's deliveries.",
                {
                    $0.state.ledger.sorted { ($0.delivery, $0.generation) < ($1.delivery, $1.generation) }
                        .map(\.withoutWords)
                }, { $0.state.ledger = $1 }),
        ])
}

extension LedgerEntry {
    /// The entry without its request and without text that a service or a person wrote.
    fileprivate var withoutWords: LedgerEntry {
        var entry = self
        (entry.request, entry.reason, entry.provenance) = (nil, nil, Provenance())
        return entry
    }
}

extension LockRecord {
    fileprivate static let record = Record<LockRecord>(
        LockRecord(holder: "", run: "", fence: 0, expiresAt: .distantPast),
        [
            Field("holder", .text, "The holder, present or past.", { $0.holder }, { $0.holder = $1 }),
            Field("run", .text, "The run that holds it; empty: free.", { $0.run }, { $0.run = $1 }),
            Field("fence", .integer(), "Raised by every apply.", { $0.fence }, { $0.fence = $1 }),
            Field(
                optional: "acquiredAt", .time, "The time when it was taken.", { $0.acquiredAt }, { $0.acquiredAt = $1 }),
            Field("expiresAt", .time, "The time when it expires.", { $0.expiresAt }, { $0.expiresAt = $1 }),
            Field(
                optional: "lastApplied", .record(LastApplied.record), "The last apply that ended.",
                { $0.lastApplied }, { $0.lastApplied = $1 }),
        ])
}

extension InstallationSample {
    fileprivate static let record = Record<InstallationSample>(
        InstallationSample(size: 0),
        [
            Field("size", .count, "The number of installations in the sample.", { $0.size }, { $0.size = $1 }),
            Field(
                optional: "channels", .counts, "Of those, by channel.", unless: [:], { $0.channels },
                { $0.channels = $1 }),
            Field(
                optional: "deviceProfiles", .counts, "Of those, by deviceProfile.", unless: [:], { $0.deviceProfiles },
                { $0.deviceProfiles = $1 }),
            Field(
                optional: "subscribers", .counts, "Of all, by channel.", unless: [:], { $0.subscribers },
                { $0.subscribers = $1 }),
            Field(
                optional: "bearers", .counts, "Of all, by deviceProfile.", unless: [:], { $0.bearers },
                { $0.bearers = $1 }),
        ])
}

extension ResourceRecord {
    fileprivate static let record = Record<ResourceRecord>(
        ResourceRecord(kind: .channel, name: "", fields: [:]),
        [
            Field("kind", .choice(ResourceKind.self), "The kind.", { $0.kind }, { $0.kind = $1 }),
            Field("name", .text, "Its name.", { $0.name }, { $0.name = $1 }),
            Field("fields", .object, "Its fields.", { $0.fields }, { $0.fields = $1 }),
            Field(
                optional: "protected", .flag, "True when its removal is refused.", unless: false, { $0.isProtected },
                { $0.isProtected = $1 }),
        ])
}

extension ScheduledPush {
    fileprivate static let record = Record<ScheduledPush>(
        ScheduledPush(id: 0, notificationID: nil, at: .distantPast),
        [
            Field("id", .integer64, "The id to cancel it by.", { $0.id }, { $0.id = $1 }),
            Field(
                optional: "notificationId", .text, "The id in its request.", { $0.notificationID },
                { $0.notificationID = $1 }),
            Field("at", .time, "The time when it fires.", { $0.at }, { $0.at = $1 }),
        ])
}

extension AudienceCount {
    /// The record without the breakdown.
    fileprivate static let sizeRecord = Record<AudienceCount>(
        AudienceCount(devices: 0),
        [
            Field("devices", .count, "The number of devices.", { $0.devices }, { $0.devices = $1 }),
            Field(
                optional: "innerQuery", .count, "The number of objects that its largest inner query finds.",
                { $0.innerQuery },
                { $0.innerQuery = $1 }),
            Field(
                optional: "excess", .count, "The bytes of the largest payload that is too large.", unless: 0,
                { $0.excess }, { $0.excess = $1 }),
            Field(
                optional: "leftOut", .leftOut,
                "Devices that match and get nothing, by reason.", unless: [:], { $0.leftOut }, { $0.leftOut = $1 }),
            Field(
                optional: "staleAfter", .duration,
                "The seconds after which a device that was not seen is stale; left out: 90 days.",
                unless: AudienceCount.threeMonths, { $0.staleAfter }, { $0.staleAfter = $1 }),
        ])
}

extension JSONForm<Int64> {
    fileprivate static var integer64: Self {
        JSONForm(schema: { SchemaPart.integer($0, orNull: $1) }, write: { .value(.integer($0)) }) {
            value throws(RecordError) in
            guard let number = value.integer else { throw RecordError(.type) }
            return number
        }
    }
}

extension JSONForm {
    /// A list of records, one per line.
    fileprivate static func lines<Element>(of record: Record<Element>) -> Self
    where Value == [Element], Element: Sendable {
        .list(of: JSONForm<Element>.record(record).onOneLine)
    }
}

/// A key and its value, as an element of a list.
private struct Keyed<Key: Hashable & Comparable & Sendable, Value: Sendable>: Sendable {
    var key: Key
    var value: Value

    /// A dictionary as a list of records, one per line, sorted by key.
    static func lines(
        _ name: String, _ form: JSONForm<Key>, _ record: Record<Value>, _ blank: Keyed
    ) -> JSONForm<[Key: Value]> {
        let element = Record<Keyed>(
            blank,
            [
                Field(name, form, "The key under which it is found.", { $0.key }, { $0.key = $1 }),
                Field(group: record, { $0.value }, { $0.value = $1 }),
            ])
        return JSONForm<[Keyed]>.lines(of: element).standing(
            for: { $0.sorted { $0.key < $1.key }.map { Keyed(key: $0.key, value: $0.value) } },
            read: { Dictionary($0.map { ($0.key, $0.value) }) { first, _ in first } })
    }
}

extension Digest {
    fileprivate static let blank = Digest(of: [])
}

extension DeliveryID {
    fileprivate static let blank = DeliveryID(workspace: "", campaign: "", revision: 0)
}

/// The result of a look-up in a snapshot: without free text.
struct KeptEvidence: Hashable, Sendable {
    private var isFailed = false
    private var found: PushRecord?
    private var journal: JournalState?

    init(_ evidence: Evidence) {
        switch evidence {
        case .none: break
        case .failed: isFailed = true
        case .found(let record): found = record
        case .journal(let state): journal = state
        }
    }

    var evidence: Evidence {
        if let found { return .found(found) }
        if let journal { return .journal(journal) }
        return isFailed ? .failed(Reason(.notKept)) : .none
    }

    static let record = Record<KeptEvidence>(
        KeptEvidence(.none),
        [
            Field(
                optional: "failed", .flag, "True when it cannot be trusted.", unless: false, { $0.isFailed },
                { $0.isFailed = $1 }),
            Field(optional: "found", .record(PushRecord.record), "A record.", { $0.found }, { $0.found = $1 }),
            Field(
                optional: "journal", .record(JournalState.record), "The remote's journal.", { $0.journal },
                { $0.journal = $1 }),
        ])
}

extension PushRecord {
    fileprivate static let record = Record<PushRecord>(
        PushRecord(objectID: nil, .queued, figures: DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)),
        [
            Field(optional: "objectId", .text, "The service's id.", { $0.objectID }, { $0.objectID = $1 }),
            Field(
                "standing", .choice(StandingWord.self), "The state.", { StandingWord($0.standing) },
                { $0.standing = $1.standing }),
            Field("devices", .count, "Devices.", { $0.figures.devices }, { $0.figures.devices = $1 }),
            Field("successes", .count, "Accepted.", { $0.figures.successes }, { $0.figures.successes = $1 }),
            Field(
                "invalidTokens", .count, "Dead tokens.", { $0.figures.invalidTokens }, { $0.figures.invalidTokens = $1 }
            ),
            Field(
                optional: "simulated", .count, "Simulated devices.", unless: 0, { $0.figures.simulated },
                { $0.figures.simulated = $1 }),
        ])
}

/// The standing of a push, without the undocumented words of a record.
private enum StandingWord: String, CaseIterable {
    case queued, scheduled, done, refused, unknown

    init(_ standing: PushRecord.Standing) {
        self =
            switch standing {
            case .queued: .queued
            case .scheduled: .scheduled
            case .done: .done
            case .refused: .refused
            case .unknown: .unknown
            }
    }

    var standing: PushRecord.Standing {
        switch self {
        case .queued: .queued
        case .scheduled: .scheduled
        case .done: .done
        case .refused: .refused(.massiveDevelopmentPush)
        case .unknown: .unknown(Reason(.notKept).text)
        }
    }
}

extension VariantStanding {
    fileprivate static let record = Record<VariantStanding>(
        VariantStanding(variants: [], decideBy: .distantPast),
        [
            Field(
                "variants", .list(of: .record(VariantAnswers.record)), "The answers by variant.", { $0.variants },
                { $0.variants = $1 }),
            Field("decideBy", .time, "The time by which a winner may be named.", { $0.decideBy }, { $0.decideBy = $1 }),
        ])
}

extension JournalState {
    fileprivate static let record = Record<JournalState>(
        .unbegun,
        [
            Field("targets", .count, "Devices in the audience.", { $0.targets }, { $0.targets = $1 }),
            Field("answered", .count, "Devices with a known answer.", { $0.answered }, { $0.answered = $1 }),
            Field("refused", .count, "Of those, refused devices.", { $0.refused }, { $0.refused = $1 }),
            Field("inDoubt", .count, "Devices with a lost answer.", { $0.inDoubt }, { $0.inDoubt = $1 }),
            Field("waiting", .count, "Still to be sent to.", { $0.waiting }, { $0.waiting = $1 }),
            Field(
                optional: "lastOutcomeAt", .time, "The time of the last answers.", { $0.lastOutcomeAt },
                { $0.lastOutcomeAt = $1 }),
            Field(
                optional: "windowFrom", .time, "The time from which the window counts.", { $0.windowFrom },
                { $0.windowFrom = $1 }),
            Field(
                optional: "opensAt", .time, "The time when the next part opens.", { $0.opensAt }, { $0.opensAt = $1 }),
            Field(
                optional: "stage", .integer(minimum: 1), "The stage that is sent to next.", { $0.stage },
                { $0.stage = $1 }),
            Field(
                optional: "part", .record(PartStanding.record), "The part that was sent last.", { $0.part },
                { $0.part = $1 }),
            Field(
                optional: "standing", .record(VariantStanding.record), "The test of variants that waits for a winner.",
                { $0.standing }, { $0.standing = $1 }),
            Field(
                optional: "winner", .text, "The variant that those who tested none get.", { $0.winner },
                { $0.winner = $1 }),
        ])
}
