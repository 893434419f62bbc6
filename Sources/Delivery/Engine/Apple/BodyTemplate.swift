internal import Base
internal import Push

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
