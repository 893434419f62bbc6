internal import JSONValue
package import PushModel
internal import Records

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

    package init(workspace: String, remote: RemoteDescription, state: RemoteState) {
        self.workspace = workspace
        self.remote = remote
        self.state = state
    }

    /// What stands for a failure whose text was not recorded.
    package static let unrecordedReason = "the reason was not recorded"

    /// The file: a line for each entry, sorted, the same for equal states.
    package var bytes: [UInt8] { Self.record.json(of: self).bytes(reserving: state.ledger.count * 800 + 4096) }

    /// Reads a file that ``bytes`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SnapshotError`` with `notASnapshot` for anything else, `majorVersion` for another major format,
    ///   `damaged`, naming the place, when it is cut off or cannot be read.
    package static func read(_ bytes: [UInt8]) throws(SnapshotError) -> Snapshot {
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
            throw .damaged(error.text())
        }
    }

    /// What a text is of which no object can be made.
    private static func unreadable(_ bytes: [UInt8]) -> SnapshotError {
        guard bytes.starts(with: "{\n  \"formatVersion\"".utf8) else { return .notASnapshot }
        do throws(JSONSyntaxError) {
            _ = try JSONValue(parsing: bytes, limits: .anyMemory)
            return .notASnapshot
        } catch {
            return .damaged(error.description)
        }
    }
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
        /// It is cut off, or a part cannot be read.
        case damaged
        /// Another program wrote it, in a format that this one does not know.
        case majorVersion
    }

    static var notASnapshot: SnapshotError {
        SnapshotError(code: .notASnapshot, description: "not a recorded remote state; 'bugle plan --record' writes one")
    }

    static func damaged(_ place: String) -> SnapshotError {
        SnapshotError(
            code: .damaged,
            description: "the recorded remote state is damaged: \(place); record it again with --record")
    }

    static var olderFormat: SnapshotError {
        SnapshotError(
            code: .majorVersion,
            description: """
                an older bugle recorded this remote state, in lines of text that \(BugleVersion.tool) does not read; \
                record it again with --record
                """)
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
