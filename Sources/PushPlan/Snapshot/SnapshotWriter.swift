internal import JSONValue
internal import PushModel

/// Writes the lines of a snapshot file.
struct SnapshotWriter {
    private(set) var bytes: [UInt8] = []
    private var lines = 0

    /// Appends a line; nil is written `-`.
    mutating func write(_ record: SnapshotRecord, _ fields: String?...) {
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

    mutating func write(_ entry: LedgerEntry) {
        write(
            .entry, entry.delivery.text, String(entry.generation), entry.notificationID.text, entry.campaign,
            String(entry.revision), entry.occurrence.text, entry.state.rawValue, entry.fingerprint.hexadecimal,
            entry.content.hexadecimal, String(entry.encoder), entry.intendedAt.exactText,
            entry.scheduledAt?.exactText, String(entry.window.milliseconds), entry.expiresAt?.exactText,
            entry.objectID, entry.isMissed ? "yes" : "no", String(entry.fence),
            entry.figures.map { String($0.devices) }, entry.figures.map { String($0.successes) },
            entry.figures.map { String($0.invalidTokens) })
    }

    mutating func write(_ evidence: Evidence, of id: DeliveryID) {
        switch evidence {
        case .none: write(.evidence, id.text, "none")
        case .failed: write(.evidence, id.text, "failed")
        case .found(let record):
            write(
                .evidence, id.text, "found", record.objectID, record.isScheduled ? "yes" : "no",
                record.isDone ? "yes" : "no", record.failure == nil ? "no" : "yes", String(record.figures.devices),
                String(record.figures.successes), String(record.figures.invalidTokens))
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
        let digits = Array("0123456789ABCDEF".utf8)
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
