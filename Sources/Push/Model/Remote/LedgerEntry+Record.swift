package import Base

extension LedgerEntry {
    private static let blank = LedgerEntry(
        delivery: DeliveryID(workspace: "", campaign: "", revision: 0), generation: 0,
        notificationID: DeliveryID(workspace: "", campaign: "", revision: 0), workspace: "", campaign: "", revision: 0,
        state: .unknown, request: nil, fingerprint: Digest(of: []), content: Digest(of: []), encoder: 0,
        intendedAt: Instant(milliseconds: 0), window: .zero, fence: 0, provenance: Provenance())

    /// The stored form of an entry on remotes and in snapshots: unknown values are omitted, times are ISO text in UTC.
    package static let record = Record<LedgerEntry>(
        blank,
        [
            Field("delivery", .id, "The delivery.", { $0.delivery }, { $0.delivery = $1 }),
            Field(
                "generation", .natural, "The number of its pushes that were begun before.", { $0.generation },
                { $0.generation = $1 }),
            Field(
                "notificationId", .id, "The id under which the service knows the push.", { $0.notificationID },
                { $0.notificationID = $1 }),
            Field("workspace", .text, "The workspace.", { $0.workspace }, { $0.workspace = $1 }),
            Field("campaign", .text, "The campaign, by its last recorded name.", { $0.campaign }, { $0.campaign = $1 }),
            Field(
                optional: "formerly", .list(of: .text), "The names that it had before, the oldest first.", unless: [],
                { $0.formerly }, { $0.formerly = $1 }),
            Field("revision", .natural, "Its revision.", { $0.revision }, { $0.revision = $1 }),
            Field("occurrence", .occurrence, "The occurrence.", { $0.occurrence }, { $0.occurrence = $1 }),
            Field("state", .choice(DeliveryState.self), "The state.", { $0.state }, { $0.state = $1 }),
            Field(
                optional: "request", .request, "Canonical JSON: keys such as $in may not be stored as keys.",
                { $0.request }, { $0.request = $1 }),
            Field("fingerprint", .digest, "Hash of the request.", { $0.fingerprint }, { $0.fingerprint = $1 }),
            Field("content", .digest, "Hash of what is delivered.", { $0.content }, { $0.content = $1 }),
            Field(
                optional: "document", .digest, "Hash of the campaign's own document.", { $0.document },
                { $0.document = $1 }),
            Field("encoder", .natural, "The version of what made the request.", { $0.encoder }, { $0.encoder = $1 }),
            Field("intendedAt", .instant, "The time when it was begun.", { $0.intendedAt }, { $0.intendedAt = $1 }),
            Field(
                "attemptedAt", .instant, "The time of the last attempt.", { $0.attemptedAt }, { $0.attemptedAt = $1 }),
            Field(
                optional: "scheduledAt", .instant, "The time when the service sends it.", { $0.scheduledAt },
                { $0.scheduledAt = $1 }),
            Field(
                "window", .seconds, "The delay within which it may still start, in seconds.", { $0.window },
                { $0.window = $1 }),
            Field(
                optional: "expiresAt", .instant, "The time of expiration.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            Field(
                optional: "holdout", .record(holdout), "The share of devices that was held out.", { $0.holdout },
                { $0.holdout = $1 }),
            Field(
                optional: "pushId", .text, "The service's objectId of the push.", { $0.objectID }, { $0.objectID = $1 }),
            Field(
                optional: "scheduledId", .id, "Its id in the list of scheduled pushes.", { $0.scheduledID },
                { $0.scheduledID = $1 }),
            Field(
                group: StoredFigures.record, { StoredFigures($0.figures) },
                { entry, stored throws(RecordError) in entry.figures = try stored.figures() }),
            .reason(
                "reason", orNull: "The reason for the state.", isOptional: true, { $0.reason }, { $0.reason = $1 }),
            Field("missed", .flag, "True when its time passed unsent.", { $0.isMissed }, { $0.isMissed = $1 }),
            Field("fence", .natural, "The lock under which it was written.", { $0.fence }, { $0.fence = $1 }),
            Field(group: provenance, { $0.provenance }, { $0.provenance = $1 }),
        ])

    private static let holdout = Record<Holdout>(
        Holdout(share: .whole, salt: ""),
        [
            Field("share", .share, "The share.", { $0.share }, { $0.share = $1 }),
            Field("salt", .text, "The word that decided which devices these were.", { $0.salt }, { $0.salt = $1 }),
        ])

    private static let provenance = Record<Provenance>(
        Provenance(),
        [
            Field(optional: "commit", .text, "The commit that was applied.", { $0.commit }, { $0.commit = $1 }),
            Field(optional: "actor", .text, "The person or job that applied it.", { $0.actor }, { $0.actor = $1 }),
            Field(optional: "run", .text, "The run that applied it.", { $0.run }, { $0.run = $1 }),
        ])
}

/// The stored figures of a delivery; unknown ones are nil.
private struct StoredFigures {
    var devices: Int?
    var successes: Int?
    var invalidTokens: Int?
    var others = DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)

    init(_ figures: DeliveryFigures?) {
        devices = figures?.devices
        successes = figures?.successes
        invalidTokens = figures?.invalidTokens
        if let figures { others = figures }
    }

    /// - Throws: `RecordError` that names what should stand beside the devices.
    func figures() throws(RecordError) -> DeliveryFigures? {
        guard let devices else { return nil }
        guard let successes else { throw RecordError(.missing).under("successes") }
        guard let invalidTokens else { throw RecordError(.missing).under("invalidTokens") }
        var figures = DeliveryFigures(
            devices: devices, successes: successes, invalidTokens: invalidTokens, inDoubt: others.inDoubt,
            missed: others.missed, simulated: others.simulated, verdicts: others.verdicts,
            leftOut: others.leftOut)
        figures.variants = others.variants
        return figures
    }

    static let record = Record<StoredFigures>(
        StoredFigures(nil),
        [
            Field(
                optional: "devices", .natural, "Devices that matched, without simulated ones.", { $0.devices },
                { $0.devices = $1 }),
            Field(
                optional: "successes", .natural, "Devices for which it was accepted.", { $0.successes },
                { $0.successes = $1 }),
            Field(
                optional: "invalidTokens", .natural, "Tokens that Apple calls invalid.", { $0.invalidTokens },
                { $0.invalidTokens = $1 }),
            Field(
                optional: "inDoubt", .natural, "Devices whose answer was lost.", unless: 0, { $0.others.inDoubt },
                { $0.others.inDoubt = $1 }),
            Field(
                optional: "missedDevices", .natural, "Devices that were not sent to in time.", unless: 0,
                { $0.others.missed }, { $0.others.missed = $1 }),
            Field(
                optional: "leftOut", .counts(of: AudienceExplanation.Skip.self), "Devices left out, by reason.",
                unless: [:], { $0.others.leftOut }, { $0.others.leftOut = $1 }),
            Field(
                optional: "simulated", .natural, "Devices that the remote only simulates.", unless: 0,
                { $0.others.simulated }, { $0.others.simulated = $1 }),
            Field(
                optional: "verdicts", .list(of: .record(StageVerdict.record)), "The verdicts on a rollout's stages.",
                unless: [], { $0.others.verdicts }, { $0.others.verdicts = $1 }),
            Field(
                optional: "variants", .list(of: .record(VariantAnswers.record)), "The answers by variant.",
                unless: [], { $0.others.variants }, { $0.others.variants = $1 }),
        ])
}

// MARK: The stored forms of values

extension JSONForm {
    /// A form that converts to and from a JSON value, without a schema: nobody describes a remote's records by one.
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

extension JSONForm<Share> {
    fileprivate static var share: JSONForm { stored({ .string($0.text) }) { $0.string.flatMap { Share($0) } } }
}

extension JSONForm<Instant> {
    fileprivate static var instant: JSONForm { stored({ .string($0.isoText) }, \.instant) }
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
