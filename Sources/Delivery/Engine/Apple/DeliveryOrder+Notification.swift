package import DeviceRegistry
package import Base
package import Push

extension DeliveryOrder {
    /// The notification for the devices of one route and form.
    ///
    /// `start` is when the delivery started, from which its expiration counts; a Live Activity without a time of its
    /// own bears it.
    package func notification(for route: Route, form: Int = 0, startingAt start: Instant) -> PushNotification {
        PushNotification(
            to: destination, topic: route.apnsTopic, pushType: pushType, priority: priority,
            expiration: header(startingAt: start), collapseID: collapseID,
            body: template(form, startingAt: start).body)
    }

    /// The kind of targets.
    package var destination: Destination { if case .broadcast = target { .broadcastChannels } else { .devices } }

    /// The expiration header; a broadcast needs one, and without a time of its own it lasts as long as a channel keeps
    /// a
    /// message.
    private func header(startingAt start: Instant) -> Int64? {
        switch expiration {
        case .after(let duration): duration > .zero ? max(1, (start + duration).seconds) : 0
        case .at(let end): max(1, end.instant.seconds)
        case .never: destination == .broadcastChannels ? (start + Self.broadcastStorage).seconds : nil
        }
    }

    /// The bytes of a form's payload, with gaps for what differs from device to device.
    private func template(_ form: Int, startingAt start: Instant) -> BodyTemplate {
        BodyTemplate(payload(form, startingAt: start), countsBadge: countsBadge, isPersonal: isPersonal)
    }

    /// What fills the gaps of a form's payload for a device.
    package func fillings(_ target: JournalTarget) -> [[UInt8]] {
        (countsBadge ? [Array("\(min(target.badge ?? 0, Self.largestBadge))".utf8)] : [])
            + target.texts.map(BodyTemplate.inside)
    }

    /// What fills the gaps of the message itself for a device without values of its own.
    package var fillingsByDefault: [[UInt8]] {
        fillings(JournalTarget(token: "", badge: 1, texts: forms[0].values.map(\.default)))
    }

    /// The largest size of the payload in bytes, as sent to a device without values of its own.
    package var payloadBytes: Int { forms.map(\.bytesByDefault).max() ?? 0 }

    /// The choice of words for each device; nil when all get the same.
    package var words: AudienceWords? {
        guard isPersonal || !languages.payloads.isEmpty || test != nil else { return nil }
        return AudienceWords(
            languageField: languages.payloads.isEmpty ? nil : languages.field,
            languages: languages.payloads.map(\.name),
            forms: forms, limit: pushType.payloadLimit, arms: max(1, variants.count))
    }

    /// The forms of the message, in the order of their numbers: its own, then that of each language; with variants all
    /// of these for each.
    package var forms: [AudienceWords.Form] {
        (0..<(1 + languages.payloads.count) * max(1, variants.count)).map { form in
            let template = template(form, startingAt: Self.anyStart)
            return AudienceWords.Form(
                bytes: template.byteCount + (countsBadge ? String(Self.largestBadge).utf8.count : 0),
                values: template.values)
        }
    }

    /// The payload as it is sent, without a counted badge: of several updates of a Live Activity the one with the latest
    /// time counts, so it bears the start of the delivery unless it has a time of its own
    /// (docs/background/apple/payloads.md#rules-by-type).
    package func payload(_ form: Int = 0, startingAt start: Instant) -> JSONValue {
        let own = [payload] + languages.payloads.map(\.payload)
        let form = MessageForm(number: form, languages: own.count, variants: max(1, variants.count))
        var payload = variants.isEmpty ? own[form.language] : variants[form.variant ?? 0][form.language]
        guard pushType == .liveactivity, payload["aps"]?["timestamp"] == nil else { return payload }
        var aps = payload["aps"] ?? [:]
        aps["timestamp"] = .integer(start.seconds)
        payload["aps"] = aps
        return payload
    }

    /// An arbitrary time: all times of this age have the same number of digits.
    private static let anyStart = Instant(seconds: 2_000_000_000)
}
