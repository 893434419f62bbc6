internal import Base

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
            Field(
                optional: "lock", .record(LockRecord.record), "The lock.", { $0.state.lock }, { $0.state.lock = $1 }),
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
                    "condition", .digest, AudienceCount.record, Keyed(key: .blank, value: AudienceCount(devices: 0))),
                "Audiences that were counted.", unless: [:], { $0.state.audiences }, { $0.state.audiences = $1 }),
            Field(
                optional: "explanations",
                Keyed.lines(
                    "condition", .digest, AudienceExplanation.record,
                    Keyed(key: .blank, value: AudienceExplanation(devices: 0))),
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
    fileprivate static let record = Record<AudienceCount>(
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
                optional: "leftOut", .counts(of: AudienceExplanation.Skip.self),
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
