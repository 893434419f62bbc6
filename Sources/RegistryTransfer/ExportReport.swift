/// What the import of a whole export came to.
package struct ExportReport: Sendable {
    /// Of each class that was in it and taken.
    package internal(set) var classes: [String: TransferReport] = [:]
    /// How many files hold classes that were not taken, by class.
    package private(set) var leftOut: [String: Int] = [:]
    /// Whether it is one file only, of one class.
    var isOneFile = false
    /// The classes that were looked for.
    private let wanted: [String]

    /// So many classes are named that were not taken.
    private static let mostNamed = 20

    init(wanted: [String]) {
        self.wanted = wanted
    }

    /// Whether everything was kept that is ever kept.
    package var isComplete: Bool { classes.values.allSatisfy { $0.skippedCount == 0 } }

    mutating func leaveOut(_ className: String) { leftOut[className, default: 0] += 1 }

    /// What to say of an export without anything that is taken.
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

    /// The report for people.
    package var text: String {
        var lines = wanted.compactMap { classes[$0]?.text ?? (isOneFile ? nil : "\($0): not in the export") }
        if !leftOut.isEmpty {
            lines.append(
                TransferReport.harmless(
                    "left out by design, for no condition points to it: \(names); --class takes one of them"))
        }
        return lines.joined(separator: "\n")
    }
}
