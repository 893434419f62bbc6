internal import Base
internal import Push

/// Writes a request's body as JSON with gaps for what differs from device to device.
struct BodyWriter {
    /// The bytes around the gaps.
    private(set) var pieces: [[UInt8]] = [[]]
    /// What fills the gaps, in their order.
    private(set) var gaps: [Gap] = []
    /// True if texts have places for a device's values.
    let isPersonal: Bool
    /// True while it writes inside a text.
    var isQuoted = false

    enum Gap: Hashable {
        /// The device's address, inside a text.
        case address
        /// The device's own badge.
        case badge
        /// A value of the device, inside a text that may itself stand inside a text.
        case value(PersonalValue, isQuoted: Bool)

        var value: PersonalValue? { if case .value(let value, _) = self { value } else { nil } }

        /// What fills it for a device; a value is the default one unless `text` says another.
        func filling(address: String, badge: Int?, _ text: (PersonalValue) -> String = { $0.default }) -> [UInt8] {
            switch self {
            case .address: BodyWriter.inside(address)
            case .badge: DeliveryOrder.digits(of: badge)
            case .value(let value, let isQuoted): BodyWriter.inside(text(value), isQuoted: isQuoted)
            }
        }
    }

    /// Writes with places for a device's values only if `isPersonal`.
    init(isPersonal: Bool) { self.isPersonal = isPersonal }

    mutating func append(_ text: String) { append(Array(text.utf8)) }

    mutating func append(_ bytes: [UInt8]) {
        pieces[pieces.count - 1] += isQuoted ? Self.inside(String(decoding: bytes, as: UTF8.self)) : bytes
    }

    mutating func leave(_ gap: Gap) {
        gaps.append(gap)
        pieces.append([])
    }

    mutating func write(_ value: JSONValue) {
        guard isPersonal else { return append(value.canonicalBytes) }
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
            writeMembers(of: value, isContinued: false)
            append("}")
        case .null, .bool, .integer, .number: append(value.canonicalBytes)
        }
    }

    /// Writes an object's members, behind others if it `isContinued`.
    mutating func writeMembers(
        of value: JSONValue, isContinued: Bool,
        by writeMember: (inout BodyWriter, String, JSONValue) -> Void = { writer, _, member in writer.write(member) }
    ) {
        var isFirst = !isContinued
        for (name, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            if !isFirst { append(",") }
            isFirst = false
            append(JSONValue.string(name).canonicalBytes)
            append(":")
            writeMember(&self, name, member)
        }
    }

    private mutating func write(_ text: String) {
        append("\"")
        for piece in (try? PersonalText(text))?.pieces ?? [.words(text)] {
            switch piece {
            case .words(let words): append(Self.inside(words))
            case .value(let value): leave(.value(value, isQuoted: isQuoted))
            }
        }
        append("\"")
    }

    /// A text as JSON writes it, without its quotation marks; if it `isQuoted`, as it stands inside a text.
    static func inside(_ text: String, isQuoted: Bool = false) -> [UInt8] {
        let inside = Array(JSONValue.string(text).canonicalBytes.dropFirst().dropLast())
        return isQuoted ? Self.inside(String(decoding: inside, as: UTF8.self)) : inside
    }
}

/// A body as it is sent to all devices of one form, with gaps for what differs from device to device.
struct BodyTemplate {
    /// The bytes around the gaps.
    let pieces: [[UInt8]]
    /// What fills the gaps, in their order.
    let gaps: [BodyWriter.Gap]

    /// Makes the template of Apple's payload: the badge first, then the values of its texts in their order; if
    /// `isPersonal`, its alert and the app's own keys have places for values.
    init(_ payload: JSONValue, countsBadge: Bool, isPersonal: Bool) {
        var writer = BodyWriter(isPersonal: isPersonal)
        if countsBadge || isPersonal {
            Self.write(payload, countsBadge: countsBadge, to: &writer)
        } else {
            writer.append(payload.canonicalBytes)
        }
        (pieces, gaps) = (writer.pieces, writer.gaps)
    }

    private static func write(_ payload: JSONValue, countsBadge: Bool, to writer: inout BodyWriter) {
        var others = payload
        others["aps"] = nil
        writer.append("{")
        // A counted badge needs the object, whether the payload has it or not.
        let aps: JSONValue? = payload["aps"] ?? (countsBadge ? .some([:]) : .none)
        if let aps {
            writer.append(#""aps":{"#)
            if countsBadge {
                writer.append(#""badge":"#)
                writer.leave(.badge)
            }
            writer.writeMembers(of: aps, isContinued: countsBadge) { writer, name, member in
                // What the system and the app read there is the same for all.
                if name == "alert" { writer.write(member) } else { writer.append(member.canonicalBytes) }
            }
            writer.append("}")
        }
        writer.writeMembers(of: others, isContinued: aps != nil)
        writer.append("}")
    }

    /// The values that fill gaps.
    var values: [PersonalValue] { gaps.compactMap(\.value) }

    var body: NotificationBody { pieces.count == 1 ? .same(pieces[0]) : .filled(pieces) }

    /// The bytes of the pieces, without what fills the gaps.
    var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }
}
