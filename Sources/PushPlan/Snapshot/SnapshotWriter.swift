internal import JSONValue
internal import PushModel

/// Writes the lines of a snapshot file.
struct SnapshotWriter {
    private(set) var bytes: [UInt8] = []
    private var lines = 0
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Appends a line; nil is written `-`.
    mutating func write(_ record: SnapshotRecord, _ fields: String?...) { write(record, fields) }

    private mutating func write(_ record: SnapshotRecord, _ fields: [String?]) {
        bytes.append(contentsOf: record.rawValue.utf8)
        for field in fields {
            bytes.append(UInt8(ascii: "\t"))
            append(field)
        }
        bytes.append(UInt8(ascii: "\n"))
        lines += 1
    }

    /// Appends the last line.
    mutating func end() { write(.end, String(lines)) }

    /// Appends a ledger entry: the delivery, generation, the id of the request when it is another, campaign, revision,
    /// occurrence, state, fingerprint, content, encoder, when it was intended, for when it is scheduled, window, when
    /// it expires (all four in milliseconds, since 1970), the service's id, whether it was missed, fence, and the
    /// figures: devices, successes, dead tokens, in doubt, missed; the hash of the campaign's document; and the simulated.
    mutating func write(_ entry: LedgerEntry) { write(.entry, Self.fields(of: entry)) }

    private static func fields(of entry: LedgerEntry) -> [String?] {
        [
            entry.delivery.text, String(entry.generation),
            entry.notificationID == entry.delivery ? nil : entry.notificationID.text, entry.campaign,
            String(entry.revision), entry.occurrence == .once ? nil : entry.occurrence.text, entry.state.rawValue,
            entry.fingerprint.description, entry.content.description, String(entry.encoder),
            String(entry.intendedAt.milliseconds), (entry.scheduledAt?.milliseconds).map { String($0) },
            String(entry.window.milliseconds), (entry.expiresAt?.milliseconds).map { String($0) }, entry.objectID,
            entry.isMissed ? "yes" : "no", String(entry.fence), entry.figures.map { String($0.devices) },
            entry.figures.map { String($0.successes) }, entry.figures.map { String($0.invalidTokens) },
            entry.figures.map { String($0.inDoubt) }, entry.figures.map { String($0.missed) },
            entry.document?.description, entry.figures.map { String($0.simulated) },
        ]
    }

    mutating func write(_ evidence: Evidence, of id: DeliveryID) {
        switch evidence {
        case .none: write(.evidence, id.text, "none")
        case .failed: write(.evidence, id.text, "failed")
        case .journal(let state):
            write(
                .evidence, id.text, "journal", String(state.targets), String(state.answered), String(state.inDoubt),
                String(state.waiting), (state.lastOutcomeAt?.milliseconds).map { String($0) }, String(state.refused))
        case .found(let record):
            write(
                .evidence, id.text, "found", record.objectID, record.standing == .scheduled ? "yes" : "no",
                record.standing.hasEnded ? "yes" : "no", record.standing.hasFailed ? "yes" : "no",
                String(record.figures.devices),
                String(record.figures.successes), String(record.figures.invalidTokens),
                String(record.figures.simulated))
        }
    }

    private mutating func append(_ field: String?) {
        guard let field else {
            bytes.append(UInt8(ascii: "-"))
            return
        }
        if field == "-" {
            appendEscaped(UInt8(ascii: "-"))
            return
        }
        for byte in field.utf8 {
            if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") {
                appendEscaped(byte)
            } else {
                bytes.append(byte)
            }
        }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        bytes += [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
    }
}

/// What a record says, as the flags of a recorded state.
extension PushRecord.Standing {
    /// Also said of what is not documented: earlier versions took every such word for an end.
    fileprivate var hasEnded: Bool {
        switch self {
        case .done, .unknown: true
        case .queued, .scheduled, .refused: false
        }
    }

    fileprivate var hasFailed: Bool {
        switch self {
        case .refused, .unknown: true
        case .queued, .scheduled, .done: false
        }
    }

    init(isScheduled: Bool, hasEnded: Bool, hasFailed: Bool) {
        self =
            if hasFailed {
                hasEnded ? .unknown(Snapshot.unrecordedReason) : .refused(.massiveDevelopmentPush)
            } else {
                isScheduled ? .scheduled : hasEnded ? .done : .queued
            }
    }
}
