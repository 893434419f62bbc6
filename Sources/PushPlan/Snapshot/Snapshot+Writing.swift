internal import JSONValue
package import PushModel

extension RemoteState {
    /// The bytes of a snapshot file; see ``Snapshot/bytes``.
    package func snapshotBytes(workspace: String, remote: RemoteDescription) -> [UInt8] {
        Snapshot(workspace: workspace, remote: remote, state: self).bytes
    }
}

extension Snapshot {
    /// The file: one line a record, sorted, the same for equal states.
    package var bytes: [UInt8] {
        var writer = SnapshotWriter()
        writer.write(.head, BugleVersion.format, BugleVersion.tool)
        writer.write(.workspace, workspace)
        writer.write(.remote, remote.name, remote.type.rawValue, remote.title, remote.fingerprint.description)
        writer.write(.now, state.now.exactText)
        writer.write(.ledgerStarted, state.ledgerStarted ? "yes" : "no")
        writeLock(to: &writer)
        for entry in state.ledger.sorted(by: { ($0.delivery, $0.generation) < ($1.delivery, $1.generation) }) {
            writer.write(entry)
        }
        for resource in state.resources.sorted(by: { ($0.kind.order, $0.name) < ($1.kind.order, $1.name) }) {
            writer.write(
                .resource, resource.kind.rawValue, resource.name, resource.isProtected ? "yes" : "no",
                resource.fields.canonicalText)
        }
        writeObservations(to: &writer)
        writer.end()
        return writer.bytes
    }

    private func writeLock(to writer: inout SnapshotWriter) {
        guard let lock = state.lock else { return }
        writer.write(
            .lock, lock.holder, lock.run, String(lock.fence), lock.acquiredAt?.exactText, lock.expiresAt.exactText)
        if let last = lock.lastApplied {
            writer.write(.lastApplied, last.commit, last.committedAt?.exactText, last.at.exactText, last.run)
        }
    }

    private func writeObservations(to writer: inout SnapshotWriter) {
        for push in state.scheduled.sorted(by: { ($0.at, $0.id) < ($1.at, $1.id) }) {
            writer.write(.scheduled, String(push.id), push.notificationID, push.at.exactText)
        }
        for (id, evidence) in state.evidence.sorted(by: { $0.key < $1.key }) { writer.write(evidence, of: id) }
        for (condition, count) in state.audiences.sorted(by: { $0.key < $1.key }) {
            writer.write(
                .audience, condition.description, String(count.devices), count.innerQuery.map { String($0) })
        }
        for (condition, explanation) in state.explanations.sorted(by: { $0.key < $1.key }) {
            write(explanation, of: condition.description, to: &writer)
        }
        guard let sample = state.installations else { return }
        writer.write(.sample, String(sample.size))
        let counts: [(SnapshotRecord, [String: Int])] = [
            (.sampledChannel, sample.channels), (.sampledProfile, sample.deviceProfiles),
            (.subscribers, sample.subscribers), (.bearers, sample.bearers),
        ]
        for (record, numbers) in counts {
            for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
                writer.write(record, name, String(number))
            }
        }
    }

    private func write(_ explanation: AudienceExplanation, of condition: String, to writer: inout SnapshotWriter) {
        writer.write(
            .explanation, condition, String(explanation.devices), explanation.timeZoneSample.map { String($0) })
        let skipped = Dictionary(uniqueKeysWithValues: explanation.skipped.map { ($0.key.rawValue, $0.value) })
        let counts: [(SnapshotExplained, [String: Int])] = [
            (.platform, explanation.platforms), (.deviceProfile, explanation.deviceProfiles),
            (.timeZone, explanation.timeZones), (.skipped, skipped),
        ]
        for (kind, numbers) in counts {
            for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
                writer.write(.explained, condition, kind.rawValue, name, String(number))
            }
        }
    }
}
