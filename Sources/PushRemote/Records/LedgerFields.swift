package import JSONValue
package import PushModel

/// A ledger entry as the fields of a record; on LeanCloud of an object of class `BugleLedger`.
///
/// Fields: `workspace delivery generation notificationId campaign revision occurrence state` (as they are named),
/// `request` (text: the canonical JSON of `{"endpoint","body"}`, because keys such as `$in` may not be stored as keys),
/// `fingerprint content` (`sha256:…`), `encoder`, `intendedAt attemptedAt scheduledAt expiresAt` (ISO text in UTC), `window`
/// (seconds), `pushId` (the service's objectId of the push), `scheduledId` (its id in the list of scheduled pushes), `devices successes invalidTokens inDoubt missedDevices` (the last two when not 0), `reason`, `missed`, `fence`,
/// `commit actor run`. What is not known is not there.
package enum LedgerFields {
    /// The fields of an entry written under this fence; nil: the field is removed.
    package static func members(of entry: LedgerEntry, fence: Int) -> [String: JSONValue?] {
        func text(_ instant: Instant?) -> JSONValue? { instant.map { .string($0.textWithMilliseconds) } }
        func number(_ value: Int?) -> JSONValue? { value.map { .integer(Int64($0)) } }
        func string(_ value: String?) -> JSONValue? { value.map { .string($0) } }
        return [
            "workspace": string(entry.workspace), "delivery": string(entry.delivery.text),
            "generation": number(entry.generation), "notificationId": string(entry.notificationID.text),
            "campaign": string(entry.campaign), "revision": number(entry.revision),
            "occurrence": string(entry.occurrence.text), "state": string(entry.state.rawValue),
            "request": string(entry.request.map(text(of:))), "fingerprint": string(entry.fingerprint.description),
            "content": string(entry.content.description), "document": string(entry.document?.description),
            "encoder": number(entry.encoder),
            "intendedAt": text(entry.intendedAt), "attemptedAt": text(entry.attemptedAt),
            "scheduledAt": text(entry.scheduledAt), "window": .integer(entry.window.wholeSeconds),
            "expiresAt": text(entry.expiresAt),
            "pushId": string(entry.objectID), "scheduledId": entry.scheduledID.map { .integer($0) },
            "devices": number(entry.figures?.devices),
            "successes": number(entry.figures?.successes), "invalidTokens": number(entry.figures?.invalidTokens),
            "inDoubt": number(entry.figures.flatMap { $0.inDoubt > 0 ? $0.inDoubt : nil }),
            "missedDevices": number(entry.figures.flatMap { $0.missed > 0 ? $0.missed : nil }),
            "simulated": number(entry.figures.flatMap { $0.simulated > 0 ? $0.simulated : nil }),
            "reason": string(entry.reason), "missed": .bool(entry.isMissed), "fence": number(fence),
            "commit": string(entry.provenance.commit),
            "actor": string(entry.provenance.actor), "run": string(entry.provenance.run),
        ]
    }

    /// Reads a record back.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the record and the first field that is not right.
    package static func entry(_ object: StoredFields) throws(RemoteError) -> LedgerEntry {
        LedgerEntry(
            delivery: try object.required("delivery", id), generation: try object.required("generation", \.natural),
            notificationID: try object.required("notificationId", id),
            workspace: try object.required("workspace", \.string),
            campaign: try object.required("campaign", \.string),
            revision: try object.required("revision", \.natural),
            occurrence: try object.required("occurrence") { $0.string.flatMap { Occurrence($0) } },
            state: try object.required("state") { $0.string.flatMap { DeliveryState(rawValue: $0) } },
            request: try object.optional("request", request),
            fingerprint: try object.required("fingerprint", \.digest),
            content: try object.required("content", \.digest), document: try object.optional("document", \.digest),
            encoder: try object.required("encoder", \.natural),
            intendedAt: try object.required("intendedAt", \.instant),
            attemptedAt: try object.required("attemptedAt", \.instant),
            scheduledAt: try object.optional("scheduledAt", \.instant),
            window: .seconds(try object.required("window", \.natural)),
            expiresAt: try object.optional("expiresAt", \.instant),
            objectID: try object.optional("pushId", \.string),
            scheduledID: try object.optional("scheduledId", \.integer), figures: try figures(object),
            reason: try object.optional("reason", \.string), isMissed: try object.required("missed", \.bool),
            fence: try object.required("fence", \.natural),
            provenance: Provenance(
                commit: try object.optional("commit", \.string), actor: try object.optional("actor", \.string),
                run: try object.optional("run", \.string)))
    }

    private static func id(_ value: JSONValue) -> DeliveryID? { value.string.flatMap { DeliveryID($0) } }

    private static func figures(_ object: StoredFields) throws(RemoteError) -> DeliveryFigures? {
        guard let devices = try object.optional("devices", \.natural) else { return nil }
        return DeliveryFigures(
            devices: devices, successes: try object.required("successes", \.natural),
            invalidTokens: try object.required("invalidTokens", \.natural),
            inDoubt: try object.optional("inDoubt", \.natural) ?? 0,
            missed: try object.optional("missedDevices", \.natural) ?? 0,
            simulated: try object.optional("simulated", \.natural) ?? 0)
    }

    private static func text(of request: PushRequest) -> String {
        JSONValue.object(["endpoint": .string(request.endpoint.rawValue), "body": request.body]).canonicalText
    }

    private static func request(_ value: JSONValue) -> PushRequest? {
        guard let text = value.string, let parts = try? JSONValue(parsing: text, limits: .anyMemory),
            let body = parts["body"],
            body.object != nil,
            let endpoint = parts["endpoint"]?.string.flatMap({ PushRequest.Endpoint(rawValue: $0) })
        else { return nil }
        return PushRequest(endpoint: endpoint, body: body)
    }
}
