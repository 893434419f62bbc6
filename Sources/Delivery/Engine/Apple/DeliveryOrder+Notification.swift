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

/// The bytes of a payload with gaps for what differs from device to device: the badge first, then the values of its
/// texts in their order.
struct BodyTemplate {
    /// The bytes around the gaps.
    private(set) var pieces: [[UInt8]]
    /// The values that fill the gaps behind the badge.
    private(set) var values: [PersonalValue] = []

    /// Makes the template of a payload; if `isPersonal`, its alert and the app's own keys have places for values.
    init(_ payload: JSONValue, countsBadge: Bool, isPersonal: Bool) {
        pieces = [[]]
        guard countsBadge || isPersonal else {
            append(payload.canonicalBytes)
            return
        }
        var others = payload
        others["aps"] = nil
        append("{")
        // A counted badge needs the object, whether the payload has it or not.
        let aps: JSONValue? = payload["aps"] ?? (countsBadge ? .some([:]) : .none)
        if let aps {
            append(#""aps":{"#)
            if countsBadge {
                append(#""badge":"#)
                pieces.append([])
            }
            // What the system and the app read there is the same for all.
            writeMembers(of: aps, isContinued: countsBadge) { isPersonal && $0 == "alert" }
            append("}")
        }
        writeMembers(of: others, isContinued: aps != nil) { _ in isPersonal }
        append("}")
    }

    /// The body to send.
    var body: NotificationBody { pieces.count == 1 ? .same(pieces[0]) : .filled(pieces) }

    /// The bytes of the pieces, without what fills the gaps.
    var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

    private mutating func append(_ text: String) { append(Array(text.utf8)) }

    private mutating func append(_ bytes: [UInt8]) { pieces[pieces.count - 1] += bytes }

    /// Writes a value whose texts have places for values.
    private mutating func write(_ value: JSONValue) {
        switch value {
        case .string(let text): write(text)
        case .array(let elements):
            append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(",") }
                write(element)
            }
            append("]")
        case .object:
            append("{")
            writeMembers(of: value, isContinued: false) { _ in true }
            append("}")
        case .null, .bool, .integer, .number: append(value.canonicalBytes)
        }
    }

    private mutating func writeMembers(
        of value: JSONValue, isContinued: Bool, personal isPersonal: (String) -> Bool
    ) {
        var isFirst = !isContinued
        for (name, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            if !isFirst { append(",") }
            isFirst = false
            append(JSONValue.string(name).canonicalBytes)
            append(":")
            if isPersonal(name) { write(member) } else { append(member.canonicalBytes) }
        }
    }

    private mutating func write(_ text: String) {
        append("\"")
        for piece in (try? PersonalText(text))?.pieces ?? [.words(text)] {
            switch piece {
            case .words(let words): append(Self.inside(words))
            case .value(let value):
                values.append(value)
                pieces.append([])
            }
        }
        append("\"")
    }

    /// A text as JSON writes it, without its quotation marks.
    static func inside(_ text: String) -> [UInt8] {
        Array(JSONValue.string(text).canonicalBytes.dropFirst().dropLast())
    }
}
