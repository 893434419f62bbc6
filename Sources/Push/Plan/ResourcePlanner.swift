internal import Base

/// Diffs DeviceProfiles, Channels and Segments against the deployed ones.
struct ResourcePlanner {
    let input: PlanInput

    func changes() -> [Step] {
        let desired = input.desired
        var wanted = desired.deviceProfiles.map { profile in
            Wanted(
                record: ResourceRecord(
                    kind: .deviceProfile, name: profile.name, fields: profile.fields, isProtected: profile.isProtected),
                origin: profile.origin, isRead: profile.facts != nil)
        }
        wanted += desired.channels.map {
            Wanted(record: ResourceRecord(kind: .channel, name: $0.name, fields: $0.fields), origin: $0.origin)
        }
        wanted += desired.segments.map {
            Wanted(record: ResourceRecord(kind: .segment, name: $0.name, fields: $0.fields), origin: $0.origin)
        }
        let recorded = Dictionary(input.state.resources.map { ($0.key, $0) }) { first, _ in first }
        var steps = wanted.compactMap { step(for: $0, recorded: recorded[$0.record.key]) }
        let declared = Set(wanted.map(\.record.key))
        // Recurring campaigns are recorded too, and their planner's.
        steps += input.state.resources.filter { $0.kind != .campaign && !declared.contains($0.key) }.map(deletion)
        return steps
    }

    private func step(for wanted: Wanted, recorded: ResourceRecord?) -> Step? {
        var record = wanted.record
        record.fields = wanted.fields(over: recorded?.fields)
        if record == recorded { return nil }
        let change = Change(
            kind: record.kind, name: record.name, action: recorded == nil ? .create : .update,
            reason: recorded == nil ? Reason(.notRecorded) : reason(record, recorded),
            file: wanted.origin.file, line: wanted.origin.line, before: recorded?.fields, after: record.fields)
        return Step(change, .save(record))
    }

    private func reason(_ record: ResourceRecord, _ recorded: ResourceRecord?) -> Reason {
        if record.fields != recorded?.fields { return Reason(.changed) }
        return Reason(record.isProtected ? .protectedNow : .notProtected)
    }

    private func deletion(of record: ResourceRecord) -> Step {
        var change = Change(
            kind: record.kind, name: record.name, action: .delete, reason: Reason(.notDeclared), before: record.fields)
        if record.isProtected {
            change.blocked = [Block(.protected, Reason(.isProtected, .reason(record.kind.reason), .text(record.name)))]
        }
        return Step(change, .forget(record))
    }

    private struct Wanted {
        let record: ResourceRecord
        let origin: Origin
        var isRead = true

        /// The fields, with recorded values for an unreadable certificate: a missing file is not a change.
        func fields(over recorded: JSONValue?) -> JSONValue {
            var fields = record.fields
            guard !isRead, let recorded else { return fields }
            let hasKey = fields["keyId"] != nil || fields["vendor"] != nil
            for name in DeviceProfile.readFields where recorded[name] != nil {
                let isKey = name == "key"
                if isKey == hasKey || name == "project" { fields[name] = recorded[name] }
            }
            return fields
        }
    }
}

extension ResourceRecord {
    fileprivate struct Key: Hashable {
        let kind: ResourceKind
        let name: String
    }

    fileprivate var key: Key { Key(kind: kind, name: name) }
}

/// A change with its operation.
package struct Step: Hashable, Sendable {
    /// The change, which is shown, saved and compared.
    package var change: Change
    package var operation: Operation
    /// The request whose audience reviewers look at before a campaign's time has come; nil for every other step.
    var reviewed: PushRequest?

    package init(_ change: Change, _ operation: Operation) {
        self.change = change
        self.operation = operation
    }

    /// True when the step may send a push.
    package var makesPush: Bool {
        switch operation {
        case .deliver, .resume, .cancel(_, .some): true
        case .nothing, .save, .forget, .rename, .miss, .cancel(_, nil), .withdraw: false
        }
    }

    /// True for the cancel of a push that a person stopped.
    var isOrdered: Bool { if case .cancel(let entry, nil) = operation { entry.stopped != nil } else { false } }

    /// True for a push that was stopped, whose time has passed and that was not `listed` any more: it is looked up, and
    /// nothing waits for that.
    package func isOfStopped(at now: Instant, listed: [ScheduledPush]) -> Bool {
        guard isOrdered, case .cancel(let entry, nil) = operation, entry.state == .scheduled,
            let at = entry.scheduledAt, at <= now
        else { return false }
        return listed.pushes(of: entry.notificationIDs()).isEmpty
    }
}

extension DeviceProfile {
    /// The fields in plans and on the remote; those of the certificate only if it could be read.
    var fields: JSONValue {
        var fields: JSONObject = ["environment": .string(environment.rawValue)]
        if vendor == .apns { fields["topic"] = .string(topic) } else { fields["vendor"] = .string(vendor.rawValue) }
        if installations != name { fields["deviceProfile"] = .string(installations) }
        if isDefault { fields["default"] = true }
        switch credential {
        case .certificate:
            if let facts {
                fields["certificate"] = .string("sha256:" + facts.fingerprint)
                if let end = facts.expiresAt { fields["expires"] = .string(end.text) }
            }
        case .token(let teamId, let keyId, _):
            fields["teamId"] = .string(teamId)
            fields["keyId"] = .string(keyId)
            if let facts { fields["key"] = .string("sha256:" + facts.fingerprint) }
        case .serviceAccount:
            if let facts {
                fields["key"] = .string("sha256:" + facts.fingerprint)
                fields["project"] = facts.project.map { .string($0) }
            }
        case .vendor(_, let ids, _):
            if let facts { fields["key"] = .string("sha256:" + facts.fingerprint) }
            for (name, id) in ids { fields[name] = .string(id) }
            fields.merge(options) { own, _ in own }
        }
        return .object(fields)
    }

    /// The fields read from the certificate or key, which keep their recorded values when it cannot be read.
    static let readFields = ["certificate", "expires", "key", "project"]
}

extension Channel {
    /// The fields in plans and on the remote.
    var fields: JSONValue {
        var fields: JSONObject = [:]
        if let description { fields["description"] = .string(description) }
        if let broadcast {
            fields["broadcast"] = ["topic": .string(broadcast.topic), "storage": .string(broadcast.storage.rawValue)]
        }
        return .object(fields)
    }
}

extension Segment {
    /// The fields in plans and on the remote.
    var fields: JSONValue {
        var fields: JSONObject = ["where": condition]
        if let description { fields["description"] = .string(description) }
        return .object(fields)
    }
}
