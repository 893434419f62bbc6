internal import Base

/// The result of importing a whole export.
package struct ExportReport: Sendable {
    /// The reports of the classes found and imported.
    package internal(set) var classes: [String: TransferReport] = [:]
    /// The number of files of classes that were not imported, by class.
    package private(set) var leftOut: [String: Int] = [:]
    /// True if the export is a single file of one class.
    var isOneFile = false
    /// The classes to be imported.
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

    /// The report as text.
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
