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

    /// Writes an object's members, behind others if it `isContinued`; texts of those that are not personal are the same
    /// for all.
    mutating func writeMembers(
        of value: JSONValue, isContinued: Bool, personal isMemberPersonal: (String) -> Bool = { _ in true }
    ) {
        var isFirst = !isContinued
        for (name, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            if !isFirst { append(",") }
            isFirst = false
            append(JSONValue.string(name).canonicalBytes)
            append(":")
            if isMemberPersonal(name) { write(member) } else { append(member.canonicalBytes) }
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

    var values: [PersonalValue] { gaps.compactMap(\.value) }

    /// A text as JSON writes it, without its quotation marks; if it `isQuoted`, as it stands inside a text.
    static func inside(_ text: String, isQuoted: Bool = false) -> [UInt8] {
        let inside = Array(JSONValue.string(text).canonicalBytes.dropFirst().dropLast())
        return isQuoted ? Self.inside(String(decoding: inside, as: UTF8.self)) : inside
    }

    /// The same as text.
    static func text(_ text: String) -> String { String(decoding: inside(text), as: UTF8.self) }
}
