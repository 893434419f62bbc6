package import PushModel

/// A recorded remote state, so that a plan can be made without a network and without a secret.
///
/// It holds counts, states, times, hashes and the fields of resources. It never holds a request, a device token, the
/// text of a message, or what a service or a person wrote about a delivery.
package struct Snapshot: Sendable {
    /// The workspace whose deliveries it holds.
    package var workspace: String
    /// The remote it was recorded from.
    package var remote: RemoteDescription
    /// What the remote told. Ledger entries are without request, reason and provenance, and a failure is only known
    /// to be one.
    package var state: RemoteState

    /// Joins them.
    package init(workspace: String, remote: RemoteDescription, state: RemoteState) {
        self.workspace = workspace
        self.remote = remote
        self.state = state
    }

    /// What stands for a failure whose text was not recorded.
    package static let unrecordedReason = "the reason was not recorded"
}

/// Why a file is not a recorded remote state.
package struct SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind of fault it is.
    package let code: Code
    /// What is wrong and what to do, in one sentence.
    package let description: String

    /// The kinds of faults.
    package enum Code: Hashable, Sendable {
        /// It is something else.
        case notASnapshot
        /// It is cut off, or a line cannot be read.
        case damaged
        /// A later program wrote it, in a format that this one does not know.
        case majorVersion
    }

    static var notASnapshot: SnapshotError {
        SnapshotError(code: .notASnapshot, description: "not a recorded remote state; 'bugle plan --record' writes one")
    }

    static func damaged(line: Int) -> SnapshotError {
        SnapshotError(
            code: .damaged,
            description: "the recorded remote state is damaged at line \(line); record it again with --record")
    }

    static func majorVersion(_ version: String) -> SnapshotError {
        SnapshotError(
            code: .majorVersion,
            description: """
                the recorded remote state has format \(version), and \(BugleVersion.tool) reads format \
                \(BugleVersion.majorFormat); record it again with --record
                """)
    }
}
