package import Base
package import DeviceRegistry
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
    /// a message.
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

    /// The number of values in a form's payload.
    func appleValues(_ form: Int) -> Int { isPersonal ? template(form, startingAt: Self.anyStart).values.count : 0 }

    /// What fills the gaps of a form's payload for a device.
    package func fillings(_ target: JournalTarget) -> [[UInt8]] {
        (countsBadge ? [Self.digits(of: target.badge)] : []) + target.texts.map { BodyWriter.inside($0) }
    }

    /// A counted badge as JSON writes it.
    static func digits(of badge: Int?) -> [UInt8] { Array("\(min(badge ?? 0, largestBadge))".utf8) }

    /// The notification by a route, and its target for one device without values of its own.
    package func single(
        for route: Route, to token: String, id: APNsID, startingAt start: Instant
    ) -> (notification: PushNotification, target: SendTarget) {
        guard let messages = others[route.vendor] else {
            return (
                notification(for: route, startingAt: start),
                SendTarget(token: token, id: id, fillings: fillingsByDefault)
            )
        }
        let life = expiration.life(at: start, startingAt: start)
        guard route.vendor == .fcm else {
            let message = messages.own.completed(by: route.settings).filled(\.default)
            return (
                PushNotification(
                    to: .vendor, body: .message(message, life: life, id: String(id.text.filter { $0 != "-" }))),
                SendTarget(token: token, id: id)
            )
        }
        let template = fcmTemplate(messages, 0, life: life)
        return (
            PushNotification(to: .fcm, body: template.body),
            SendTarget(token: token, id: id, fillings: template.gaps.map { $0.filling(address: token, badge: 1) })
        )
    }

    /// What fills the gaps of the message itself for a device without values of its own.
    package var fillingsByDefault: [[UInt8]] {
        fillings(
            JournalTarget(token: "", badge: 1, texts: template(0, startingAt: Self.anyStart).values.map(\.default)))
    }

    /// The largest size of the payload in bytes, as sent to a device without values of its own.
    package var payloadBytes: Int { forms.map(\.bytesByDefault).max() ?? 0 }

    /// The choice of words for each device; nil when all get the same.
    package var words: AudienceWords? {
        guard isPersonal || !languages.payloads.isEmpty || test != nil else { return nil }
        return AudienceWords(
            languageField: languages.payloads.isEmpty ? nil : languages.field,
            languages: languages.payloads.map(\.name),
            forms: forms, limit: pushType.payloadLimit,
            arms: max(1, variants.count))
    }

    /// The forms of the message, in the order of their numbers: its own, then that of each language; with variants all
    /// of these for each. The values of Apple's payload come first, then those that other vendors' messages have beside
    /// them.
    package var forms: [AudienceWords.Form] {
        (0..<(1 + languages.payloads.count) * max(1, variants.count)).map { form in
            let template = template(form, startingAt: Self.anyStart)
            var values = template.values
            for vendor in PushVendor.allCases {
                guard isPersonal, let messages = others[vendor] else { continue }
                for value in message(messages, form).values where !values.contains(value) { values.append(value) }
            }
            return AudienceWords.Form(
                bytes: template.byteCount + (countsBadge ? String(Self.largestBadge).utf8.count : 0),
                values: values, payloadValues: template.values.count)
        }
    }

    /// The template of a form of the message for FCM.
    func fcmTemplate(_ messages: Messages, _ form: Int, life: Duration?) -> BodyTemplate {
        BodyTemplate(toFCM: message(messages, form), countsBadge: countsBadge, isPersonal: isPersonal, life: life)
    }

    func message(_ messages: Messages, _ number: Int) -> JSONValue {
        let form = MessageForm(
            number: number, languages: 1 + languages.payloads.count, variants: max(1, variants.count))
        let all = messages.variants.isEmpty ? [messages.own] + messages.languages : messages.variants[form.variant ?? 0]
        return all[form.language]
    }

    /// The largest size of the message for FCM in bytes, as sent to a device without values of its own; nil: none.
    package var fcmBytes: Int? {
        guard let message = others[.fcm] else { return nil }
        return forms.indices.map { form in
            let template = fcmTemplate(message, form, life: FCMMessage.longestLife)
            return template.gaps.reduce(template.byteCount) { bytes, gap in
                bytes + gap.filling(address: "", badge: Self.largestBadge).count
            }
        }.max()
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
