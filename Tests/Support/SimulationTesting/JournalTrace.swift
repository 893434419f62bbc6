internal import DeviceRegistry
internal import Foundation
package import Push

/// What may become of a device of a delivery, of the delivery's journal and of the lock: the table that the model of the
/// protocol is made from.
///
/// Source: docs/background/proof.md#the-tie.
package struct TransitionTable: Sendable {
    fileprivate struct Row {
        let subject, event: String
        let before: [String]
        let after: String
        let needs: [String]
    }

    fileprivate let rows: [Row]

    /// Reads `Tests/Model/transitions.txt`; nil when a line has other columns.
    package init?(_ text: String) {
        var rows: [Row] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let columns = line.split(separator: " ").map { $0.split(separator: ",").map(String.init) }
            guard columns.count == 5 else { return nil }
            rows.append(
                Row(
                    subject: columns[0][0], event: columns[1][0], before: columns[2], after: columns[3][0],
                    needs: columns[4]))
        }
        self.rows = rows
    }

    /// Reads the table in a file; nil when it cannot be read.
    package init?(path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        self.init(text)
    }

    /// Every event with its subject.
    package var events: Set<String> { Set(rows.map { "\($0.subject) \($0.event)" }) }
}

/// What a registry with one workspace says of its lock, its orders to stop and its deliveries at one moment.
package struct JournalSnapshot: Sendable {
    package struct Device: Sendable {
        package var state: String
        /// The number and part of its batch, and the fence under which it was claimed.
        package var (batch, part, fence) = (0, 0, 0)

        package init(_ state: String, batch: Int = 0, part: Int = 0, fence: Int = 0) {
            self.state = state
            (self.batch, self.part, self.fence) = (batch, part, fence)
        }
    }

    package var (run, fence, expiresAt) = ("", 0, Instant(milliseconds: 0))
    package var stops: Set<String> = []
    /// `running` or `closed`, by delivery; those whose audience is not complete are not there.
    package var journals: [String: String] = [:]
    /// The devices of each delivery, by token.
    package var devices: [String: [String: Device]] = [:]
    /// The parts that were closed, and the batches that were given up, by delivery.
    package var (closedParts, givenUp): ([String: Set<Int>], [String: Set<Int>]) = ([:], [:])

    /// A registry in which nothing has happened.
    package init() {}

    /// Reads a registry within a transaction. Accepted and missed devices have no row: the moment before knows them.
    init(_ db: any RegistryTransaction, after last: JournalSnapshot) throws {
        for row in try db.rows("SELECT run, fence, expiresAt FROM deployLock", []) {
            (run, fence, expiresAt) = (row.text(0) ?? "", row.number(1), row.time(2) ?? expiresAt)
        }
        for row in try db.rows("SELECT key FROM deployRecord WHERE kind = 'stop'", []) {
            stops.insert(row.text(0) ?? "")
        }
        for row in try db.rows("SELECT delivery, closedAt FROM journal WHERE freezing IS NULL", []) {
            journals[row.text(0) ?? ""] = row.time(1) == nil ? "running" : "closed"
        }
        for row in try db.rows("SELECT delivery, number FROM journalPart WHERE closedAt IS NOT NULL", []) {
            closedParts[row.text(0) ?? "", default: []].insert(row.number(1))
        }
        var accepted: [String: [Int: Int]] = [:]
        let batches = "SELECT delivery, number, part, fence, state, accepted, targets FROM journalBatch"
        for row in try db.rows(batches, []) {
            let (delivery, number, state) = (row.text(0) ?? "", row.number(1), row.integer(4).flatMap(BatchState.init))
            accepted[delivery, default: [:]][number] = row.number(5)
            if state == .givenUp { givenUp[delivery, default: []].insert(number) }
            guard state == .fresh || state == .open, journals[delivery] != nil,
                let pack = row.bytes(6).flatMap(TargetPack.init)
            else { continue }
            for index in 0..<pack.count {
                devices[delivery, default: [:]][pack.token(index)] = Device(
                    state == .open ? "open" : "fresh", batch: number, part: row.number(2), fence: row.number(3))
            }
        }
        for row in try db.rows("SELECT delivery, token, state, part FROM journalTarget", []) {
            let state =
                switch row.integer(2).flatMap(TargetState.init) {
                case .refused: "refused"
                case .waits: "waits"
                case .inDoubt: "doubtful"
                case nil: "unknown"
                }
            devices[row.text(0) ?? "", default: [:]][row.text(1) ?? ""] = Device(state, part: row.number(3))
        }
        for (delivery, former) in last.devices where journals[delivery] != nil {
            for (token, device) in former.sorted(by: { $0.key < $1.key }) where devices[delivery]?[token] == nil {
                var device = device
                switch device.state {
                case "open":
                    let left = accepted[delivery]?[device.batch] ?? 0
                    accepted[delivery]?[device.batch] = left - 1
                    device.state = left > 0 ? "accepted" : "missed"
                case "fresh", "waits": device.state = "missed"
                case _: break
                }
                devices[delivery, default: [:]][token] = device
            }
        }
    }
}

/// Holds every transaction that a registry commits against the table.
package struct JournalTrace: Sendable {
    /// The events that happened, each with its subject.
    package private(set) var events: Set<String> = []
    private let table: TransitionTable
    private var last = JournalSnapshot()

    /// A trace of a registry in which nothing has happened.
    package init(_ table: TransitionTable) { self.table = table }

    /// Takes the registry as a transaction leaves it; returns what the table does not allow.
    mutating func take(_ db: any RegistryTransaction, at now: Instant) throws -> [String] {
        take(try JournalSnapshot(db, after: last), at: now)
    }

    /// Takes the next moment; returns what the table does not allow.
    package mutating func take(_ next: JournalSnapshot, at now: Instant) -> [String] {
        defer { last = next }
        var found: [String] = []
        func judge(_ subject: String, _ before: String, _ after: String, _ holds: (TransitionTable.Row) -> Bool) {
            let row = table.rows.first {
                $0.subject == subject && $0.before.contains(before) && $0.after == after && holds($0)
            }
            guard let row else { return found.append("no event of the table makes a \(before) \(subject) \(after)") }
            events.insert("\(subject) \(row.event)")
        }
        let isHeld = !next.run.isEmpty
        if next.run != last.run || next.fence != last.fence {
            judge("lock", last.run.isEmpty ? "free" : "held", next.run.isEmpty ? "free" : "held") { row in
                row.needs.allSatisfy { need in
                    switch need {
                    case "raised": next.fence == last.fence + 1
                    case "kept": next.fence == last.fence
                    case "expired": last.expiresAt <= now
                    case _: false
                    }
                }
            }
        }
        for delivery in Set(last.journals.keys).union(next.journals.keys).sorted() {
            let (before, after) = (last.journals[delivery] ?? "none", next.journals[delivery] ?? "none")
            if before != after { judge("journal", before, after) { _ in isHeld } }
            let (former, devices) = (last.devices[delivery] ?? [:], next.devices[delivery] ?? [:])
            for token in Set(former.keys).union(devices.keys).sorted() {
                let (before, after) = (former[token] ?? .init("none"), devices[token] ?? .init("none"))
                guard before.state != after.state else { continue }
                let isOpen = before.state == "open"
                let isGivenUp = isOpen && next.givenUp[delivery]?.contains(before.batch) ?? false
                let isOver =
                    next.journals[delivery] == "closed" || next.closedParts[delivery]?.contains(after.part) ?? false
                judge("device", before.state, after.state) { row in
                    (row.event == "giveUp") == isGivenUp
                        && row.needs.allSatisfy { need in
                            switch need {
                            case "held": isHeld
                            case "fence": isHeld && next.fence == (isOpen ? before : after).fence
                            case "running": !isOver
                            case "over": isOver
                            case "unstopped": next.stops.isDisjoint(with: [delivery, "*"])
                            case _: false
                            }
                        }
                }
            }
        }
        return found
    }
}
