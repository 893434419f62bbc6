internal import DeviceRegistry
internal import Diagnostics

/// What a transfer came to.
package struct TransferReport: Hashable, Sendable {
    /// Something that was left out, and where it stood.
    package struct Skipped: Hashable, Sendable {
        /// `line 12`, or `object 5f…`.
        package let place: String
        /// Why, in words that follow the place.
        package let reason: String
    }

    /// How many are named one by one.
    static let mostNamed = 20
    /// How many reasons are told apart: some hold words of the data.
    static let mostReasons = 50

    /// The class.
    package let className: String
    /// Objects that were read, whatever became of them.
    package private(set) var read = 0
    /// Those that were not here.
    package private(set) var added = 0
    /// Those that were here, older.
    package private(set) var updated = 0
    /// Those that were here, as new or newer.
    package private(set) var kept = 0
    /// Devices whose token or installation id a device written later has.
    package private(set) var superseded = 0
    /// How many devices are kept aside in all for such a device, those of earlier transfers among them.
    var keptAside = 0
    /// Those that were left out, by reason.
    package private(set) var skipped: [String: Int] = [:]
    /// The first of them.
    package private(set) var examples: [Skipped] = []
    /// Devices that lost names of channels that break the rule.
    package private(set) var mended = 0
    /// Devices that no push could reach, which are not kept.
    package private(set) var unreachable = 0
    /// Fields of users that let somebody sign in, which are never kept, by name.
    package private(set) var secrets: [String: Int] = [:]

    /// Nothing was read yet.
    init(_ className: String) {
        self.className = className
    }

    /// How many were left out.
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
    /// The report for people: a line, and more when something was left out.
    package var text: String {
        var lines = [
            "\(className): \(read) read, \(added) added, \(updated) updated, \(kept) here already, "
                + "\(superseded) superseded by newer registrations of the same device, \(skippedCount) skipped"
        ]
        if keptAside > 0 {
            lines.append(
                "  \(keptAside) devices in all are kept aside, for a newer one has their token or installation id")
        }
        if mended > 0 {
            lines.append("  \(mended) devices lost names of channels that break the rule for channels")
        }
        if unreachable > 0 {
            lines.append(
                "  \(unreachable) devices left out by design: they have no token or id that a push could go to")
        }
        if !secrets.isEmpty {
            let names = secrets.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            lines.append("  fields left out by design, for no accounts are kept: \(names.joined(separator: ", "))")
        }
        for (reason, count) in skipped.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            lines.append("  \(count) skipped: \(reason)")
        }
        if !examples.isEmpty { lines.append("  the first of them:") }
        for example in examples { lines.append("    \(example.place): \(example.reason)") }
        return lines.map(Self.harmless).joined(separator: "\n")
    }

    /// A line without what would steer a terminal: words of the data stand in some reasons.
    static func harmless(_ line: String) -> String {
        HiddenCharacters.replaced(in: line.unicodeScalars) { _ in "?" }
    }
}

/// Why a transfer could not be made, or not to its end; what was written before stays.
package struct TransferError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do, in one sentence, without anything secret.
    package let description: String

    /// Makes an error.
    package init(_ description: String) {
        self.description = description
    }
}
