package import JSONValue
package import PushModel
internal import Records

/// A ledger entry as the fields of a record; on LeanCloud of an object of class `BugleLedger`.
///
/// What is not known is not there. Times are ISO text in UTC, hashes `sha256:…`.
package enum LedgerFields {
    /// The fields of an entry written under this fence; nil: the field is removed.
    package static func members(of entry: LedgerEntry, fence: Int) -> [String: JSONValue?] {
        var entry = entry
        entry.fence = fence
        var members: [String: JSONValue?] = [:]
        for property in record.properties { members.updateValue(nil, forKey: property.name) }
        for (name, value) in record.members(of: entry) { members.updateValue(value.unordered, forKey: name) }
        return members
    }

    /// Reads a record back.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the record and the first field that is not right.
    package static func entry(_ object: StoredFields) throws(RemoteError) -> LedgerEntry {
        do throws(RecordError) {
            return try record.read(.object(object.members))
        } catch {
            throw object.fault(error.member ?? "")
        }
    }

    // The compiler cannot find so many types by itself.
    private typealias Field<Value> = Member<LedgerEntry, Value>

    private static let record = Record<LedgerEntry>(
        Field<DeliveryID>("delivery", .id, "The delivery.") { $0.delivery },
        Field<Int>("generation", .natural, "How many pushes of it were begun before.") { $0.generation },
        Field<DeliveryID>("notificationId", .id, "The id under which the service knows the push.") {
            $0.notificationID
        },
        Field<String>("workspace", .text, "The workspace.") { $0.workspace },
        Field<String>("campaign", .text, "The campaign, by the name that it had.") { $0.campaign },
        Field<Int>("revision", .natural, "Its revision.") { $0.revision },
        Field<Occurrence>("occurrence", .occurrence, "Which occurrence.") { $0.occurrence },
        Field<DeliveryState>("state", .choice(DeliveryState.self), "Where it stands.") { $0.state },
        Field<PushRequest?>(
            optional: "request", .request, "Canonical JSON: keys such as $in may not be stored as keys."
        ) {
            $0.request
        },
        Field<Digest>("fingerprint", .digest, "Hash of the request.") { $0.fingerprint },
        Field<Digest>("content", .digest, "Hash of what is delivered.") { $0.content },
        Field<Digest?>(optional: "document", .digest, "Hash of the campaign's own document.") { $0.document },
        Field<Int>("encoder", .natural, "The version of what made the request.") { $0.encoder },
        Field<Instant>("intendedAt", .instant, "When it was begun.") { $0.intendedAt },
        Field<Instant?>("attemptedAt", .tried, "When it was tried last.") { $0.attemptedAt },
        Field<Instant?>(optional: "scheduledAt", .instant, "When the service sends it.") { $0.scheduledAt },
        Field<Duration>("window", .seconds, "How late it may still start, in seconds.") { $0.window },
        Field<Instant?>(optional: "expiresAt", .instant, "When it stops being worth delivering.") { $0.expiresAt },
        Field<String?>(optional: "pushId", .text, "The service's objectId of the push.") { $0.objectID },
        Field<Int64?>(optional: "scheduledId", .id, "Its id in the list of scheduled pushes.") { $0.scheduledID },
        Field<DeliveryFigures?>(group: figures) { $0.figures },
        Field<String?>(optional: "reason", .text, "Why it is as it is.") { $0.reason },
        Field<Bool>("missed", .flag, "Whether its time passed unsent.") { $0.isMissed },
        Field<Int>("fence", .natural, "The lock under which it was written.") { $0.fence },
        Field<Provenance>(group: provenance) { $0.provenance },
        make: LedgerEntry.init)

    private static let figures = Record<DeliveryFigures?>(
        Member(optional: "devices", .natural, "Devices that matched, without simulated ones.") { $0?.devices },
        Member(optional: "successes", .natural, "Devices for which it was accepted.") { $0?.successes },
        Member(optional: "invalidTokens", .natural, "Tokens that Apple calls invalid.") { $0?.invalidTokens },
        Member(optional: "inDoubt", .natural, "Devices whose answer was lost.", unless: 0) { $0?.inDoubt ?? 0 },
        Member(optional: "missedDevices", .natural, "Devices that were not sent to in time.", unless: 0) {
            $0?.missed ?? 0
        },
        Member(optional: "simulated", .natural, "Devices that the remote only simulates.", unless: 0) {
            $0?.simulated ?? 0
        }
    ) { devices, successes, invalidTokens, inDoubt, missed, simulated throws(RecordError) in
        guard let devices else { return nil }
        guard let successes else { throw RecordError(.missing).under("successes") }
        guard let invalidTokens else { throw RecordError(.missing).under("invalidTokens") }
        return DeliveryFigures(
            devices: devices, successes: successes, invalidTokens: invalidTokens, inDoubt: inDoubt, missed: missed,
            simulated: simulated)
    }

    private static let provenance = Record<Provenance>(
        Member(optional: "commit", .text, "The commit that was applied.") { $0.commit },
        Member(optional: "actor", .text, "Who applied it.") { $0.actor },
        Member(optional: "run", .text, "The run that applied it.") { $0.run },
        make: Provenance.init)
}

// MARK: How its values stand in a record

extension JSONForm {
    /// What a JSON value is written as and read from; nobody describes a remote's records by a schema.
    fileprivate static func stored(
        _ write: @escaping @Sendable (Value) -> JSONValue, _ read: @escaping @Sendable (JSONValue) -> Value?
    ) -> JSONForm {
        JSONForm(schema: { _, _ in .null }, write: { .value(write($0)) }) { value throws(RecordError) in
            guard let result = read(value) else { throw RecordError(.type) }
            return result
        }
    }
}

extension JSONForm<Int> {
    fileprivate static var natural: JSONForm { stored({ .integer(Int64($0)) }, \.natural) }
}

extension JSONForm<Int64> {
    fileprivate static var id: JSONForm { stored({ .integer($0) }, \.integer) }
}

extension JSONForm<DeliveryID> {
    fileprivate static var id: JSONForm { stored({ .string($0.text) }) { $0.string.flatMap { DeliveryID($0) } } }
}

extension JSONForm<Occurrence> {
    fileprivate static var occurrence: JSONForm {
        stored({ .string($0.text) }) { $0.string.flatMap { Occurrence($0) } }
    }
}

extension JSONForm<Digest> {
    fileprivate static var digest: JSONForm { stored({ .string($0.description) }, \.digest) }
}

extension JSONForm<Instant> {
    fileprivate static var instant: JSONForm { stored({ .string($0.textWithMilliseconds) }, \.instant) }
}

extension JSONForm<Instant?> {
    /// Always there in a record, though nobody has to say it of a new entry.
    fileprivate static var tried: JSONForm {
        stored({ $0.map { .string($0.textWithMilliseconds) } ?? .null }) { value in value.instant.map { $0 } }
    }
}

extension JSONForm<Duration> {
    fileprivate static var seconds: JSONForm {
        stored({ .integer($0.wholeSeconds) }) { $0.natural.map { .seconds($0) } }
    }
}

extension JSONForm<PushRequest> {
    fileprivate static var request: JSONForm {
        stored({ request in
            let parts: JSONValue = ["endpoint": .string(request.endpoint.rawValue), "body": request.body]
            return .string(parts.canonicalText)
        }) { value in
            guard let text = value.string, let parts = try? JSONValue(parsing: text, limits: .anyMemory),
                let body = parts["body"], body.object != nil,
                let endpoint = parts["endpoint"]?.string.flatMap({ PushRequest.Endpoint(rawValue: $0) })
            else { return nil }
            return PushRequest(endpoint: endpoint, body: body)
        }
    }
}
