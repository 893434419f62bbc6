internal import Base
internal import DeviceRegistry

/// The result of a transfer.
package struct TransferReport: Hashable, Sendable {
    /// An object that was left out, and its place.
    package struct Skipped: Hashable, Sendable {
        /// `line 12`, or `object 5f…`.
        package let place: String
        /// The reason, worded to follow the place.
        package let reason: String
    }

    /// The most objects listed individually.
    static let mostNamed = 20
    /// The most reasons counted separately: some contain words from the data.
    static let mostReasons = 50

    package let className: String
    /// The number of objects read, whatever the outcome.
    package private(set) var read = 0
    /// The number of new objects.
    package private(set) var added = 0
    /// The number of objects that replaced an older version here.
    package private(set) var updated = 0
    /// The number of objects already here in the same or a newer version.
    package private(set) var kept = 0
    /// The number of devices whose token or installation id belongs to a device written later.
    package private(set) var superseded = 0
    /// The total number of devices kept aside in favour of such newer ones, including those of earlier transfers.
    var keptAside = 0
    /// The number of objects left out, by reason.
    package private(set) var skipped: [String: Int] = [:]
    /// The first objects left out.
    package private(set) var examples: [Skipped] = []
    /// The number of devices that lost channels with invalid names.
    package private(set) var mended = 0
    /// The number of devices that no push could reach; they are not kept.
    package private(set) var unreachable = 0
    /// The number of user fields for signing in, by name; they are never kept.
    package private(set) var secrets: [String: Int] = [:]

    /// How far the copy was behind the live service at its end; nil for a file, and without a clock there.
    package internal(set) var behind: Duration?

    init(_ className: String) {
        self.className = className
    }

    /// The total number of objects left out.
    package var skippedCount: Int { skipped.values.reduce(0, +) }

    mutating func skip(_ reason: String, at place: String) {
        read += 1
        let known = skipped[reason] != nil || skipped.count < Self.mostReasons
        skipped[known ? reason : "other reasons", default: 0] += 1
        if examples.count < Self.mostNamed { examples.append(Skipped(place: place, reason: reason)) }
    }

    mutating func note(_ outcome: TransferOutcome, of object: TransferredObject, at place: String) {
        switch outcome {
        case .added: added += 1
        case .updated: updated += 1
        case .kept: kept += 1
        case .superseded: superseded += 1
        case .unreachable: unreachable += 1
        case .refused(let error):
            skip(error.description, at: place)
            return
        }
        read += 1
        for secret in object.droppedSecrets { secrets[secret, default: 0] += 1 }
        if !object.droppedChannels.isEmpty, outcome == .added || outcome == .updated { mended += 1 }
    }
}

extension TransferReport {
    /// The report as text: one line, and more when something was left out.
    package var text: String {
        var lines = [
            "\(className): \(read) read, \(added) added, \(updated) updated, \(kept) here already, "
                + "\(superseded) superseded by newer registrations of the same device, \(skippedCount) skipped"
        ]
        if keptAside > 0 {
            lines.append(
                "  \(keptAside) devices in all are kept aside, because a newer one has their token or installation id")
        }
        if mended > 0 {
            lines.append("  \(mended) devices lost channel names that break the naming rule")
        }
        if unreachable > 0 {
            lines.append(
                "  \(unreachable) devices left out by design: they have no token or id that a push could go to")
        }
        if !secrets.isEmpty {
            let names = secrets.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            lines.append("  fields left out by design, because no accounts are kept: \(names.joined(separator: ", "))")
        }
        for (reason, count) in skipped.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append("  \(count) skipped: \(reason)")
        }
        if !examples.isEmpty { lines.append("  the first of them:") }
        for example in examples { lines.append("    \(example.place): \(example.reason)") }
        // Some reasons contain words from the data.
        return lines.map(escaped).joined(separator: "\n")
    }
}

/// A transfer that failed or could not be completed; what was already written stays.
package struct TransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem and the remedy in one sentence, without any secrets.
    package let description: String
    /// True if the same may succeed later, without anybody doing anything.
    let isPassing: Bool

    /// Creates an error.
    package init(_ description: String) {
        self.init(description, isPassing: false)
    }

    init(_ description: String, isPassing: Bool) {
        self.description = description
        self.isPassing = isPassing
    }
}

/// The result of importing a whole export.
package struct ExportReport: Sendable {
    /// The reports of the classes found and imported.
    package internal(set) var classes: [String: TransferReport] = [:]
    /// The number of files of classes that were not imported, by class.
    package private(set) var leftOut: [String: Int] = [:]
    /// True if the export is a single file of one class.
    var isOneFile = false
    private let wanted: [String]

    /// The most classes named that were not imported.
    private static let mostNamed = 20

    init(wanted: [String]) {
        self.wanted = wanted
    }

    /// True if everything was kept that is ever kept.
    package var isComplete: Bool { classes.values.allSatisfy { $0.skippedCount == 0 } }

    mutating func leaveOut(_ className: String) { leftOut[className, default: 0] += 1 }

    /// The error for an export that contains none of the wanted classes.
    func nothing(in path: String) -> TransferError {
        TransferError(
            "\(path) holds no \(wanted.joined(separator: ", "))"
                + (leftOut.isEmpty ? "" : ", but \(names): choose these classes when you export"))
    }

    private var names: String {
        let names = leftOut.keys.sorted()
        let more = names.count > Self.mostNamed ? " and \(names.count - Self.mostNamed) more" : ""
        return names.prefix(Self.mostNamed).joined(separator: ", ") + more
    }

    /// The report as text: one line, and more when something was left out.
    package var text: String {
        var lines = wanted.compactMap { classes[$0]?.text ?? (isOneFile ? nil : "\($0): not in the export") }
        if !leftOut.isEmpty {
            lines.append(
                escaped(
                    "left out by design, because no condition points to it: \(names); --class takes one of them"))
        }
        return lines.joined(separator: "\n")
    }
}
