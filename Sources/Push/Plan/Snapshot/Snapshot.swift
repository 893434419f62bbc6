internal import Base

/// A recorded remote state, so that a plan can be made without a network and without a secret.
///
/// It holds counts, states, times, hashes and the fields of resources. It never holds a request, a device token, the
/// text of a message, or text that a service or a person wrote about a delivery.
package struct Snapshot: Sendable {
    /// The workspace whose deliveries it holds.
    package var workspace: String
    /// The remote it was recorded from.
    package var remote: RemoteDescription
    /// The state of the remote. Ledger entries have no request, reason or provenance, and failures have no reason.
    package var state: RemoteState

    package init(workspace: String, remote: RemoteDescription, state: RemoteState) {
        self.workspace = workspace
        self.remote = remote
        self.state = state
    }

    /// The file: one line per entry, sorted; equal states give equal bytes.
    package var bytes: [UInt8] { Self.record.json(of: self).bytes(reserving: state.ledger.count * 800 + 4096) }

    /// Reads a file that ``bytes`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SnapshotError`` with `notASnapshot` for anything else, `majorVersion` for another major format,
    ///   `damaged`, naming the place, when it is truncated or cannot be read.
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

    /// Returns the error for a text that is not an object.
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

/// The reason why a file is not a recorded remote state.
package struct SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package let code: Code
    /// The fault and the remedy, in one sentence.
    package let description: String

    /// The kinds of faults.
    package enum Code: Hashable, Sendable {
        /// The file is not a snapshot.
        case notASnapshot
        /// The file is truncated, or a part cannot be read.
        case damaged
        /// The file was written by another program, in an unknown format.
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
