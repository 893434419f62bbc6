internal import Base
internal import YAML

/// The likely meaning of a value that stands where a mapping belongs.
enum Shorthand {
    /// The correct form.
    static func advice(on node: Node, in map: MapDescription) -> Advice? {
        let names = map.fields.map(\.name)
        let list = names.count <= 8 ? Advice("its fields are \(names.joined(separator: ", "))") : nil
        guard node.kind == .scalar, let text = node.text else { return list }
        if node.isNull { return Advice("indent its fields under it") }
        // What is longer is no value of these, and may be a secret.
        guard text.utf8.count <= 60 else { return list }
        if text.contains("：") { return Advice(Mistakes.fullWidthColon) }
        if map.name == "Campaign.schedule", Mistakes.isCron(text) { return Advice(Mistakes.recurrence) }
        if let colon = text.firstIndex(of: ":"), names.contains(String(text[..<colon])) {
            return Advice("put a space after ':'")
        }
        // Of a message's texts it is the body.
        let fields = map.fields.filter { $0.name == "body" } + map.fields
        for isExact in [true, false] {
            for field in fields {
                if case .onlyTrue = field.type {
                    let words = Mistakes.fields.filter { $0.value.hasSuffix("." + field.name) }.map(\.key)
                    if text == field.name || words.contains(text) { return .write("{\(field.name): true}") }
                } else if let value = field.type.spelling(of: text, isExact: isExact) {
                    return .write("{\(field.name): \(value)}")
                }
            }
        }
        return list
    }
}

extension FieldType {
    /// Returns a text as written as a value of this type; nil when it is none, or has to be quoted. With `isExact`,
    /// only types that few texts fit count.
    fileprivate func spelling(of text: String, isExact: Bool) -> String? {
        switch self {
        case .duration: return isExact ? Duration.meant(by: text)?.configurationText : nil
        case .instant, .sendTime: return isExact && OffsetInstant(text) != nil ? text : nil
        case .integer(let range): return isExact && Int(text).map(range.contains) == true ? text : nil
        case .choice(let values): return isExact && values.contains(text) ? text : nil
        case .list(let type, _): return type.spelling(of: text, isExact: isExact).map { "[\($0)]" }
        case .either(let types): return types.lazy.compactMap { $0.spelling(of: text, isExact: isExact) }.first
        case .name, .text, .path, .workspacePath:
            let isPlain = text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || "0123456789._-/ ".contains(Character($0))
            }
            let begins = text.unicodeScalars.first?.properties.isAlphabetic == true
            return !isExact && isPlain && begins && problem(with: text, Label("")) == nil ? text : nil
        default: return nil
        }
    }
}

extension Duration {
    /// The length that somebody meant by `604800`, `7 days` or `1h30m`.
    static func meant(by text: String) -> Duration? {
        if let seconds = Int64(text) { return Duration(configurationText: "\(seconds)s") }
        // An M may be minutes or months.
        guard text.utf8.count <= 40, !text.contains("M") else { return nil }
        var total = Duration.zero
        var rest = text.lowercased().filter { $0 != " " }[...]
        for (word, letter) in chineseUnits { rest = rest.replacing(word, with: letter) }
        // ISO 8601 writes P7D.
        if rest.first == "p" { rest = rest.dropFirst().filter { $0 != "t" }[...] }
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { !$0.isNumber }
            let isKnown =
                units.contains { $0.hasPrefix(unit) } || units.contains(String(unit.dropLast())) && unit.last == "s"
            guard isKnown, let letter = unit.first, unit != "mo",
                let part = Duration(configurationText: digits + String(letter))
            else { return nil }
            total += part
            rest = rest.dropFirst(digits.count + unit.count)
        }
        return total
    }

    private static let units = ["second", "minute", "hour", "day", "week", "sec", "min", "hr"]
    private static let chineseUnits = [("小时", "h"), ("分钟", "m"), ("秒", "s"), ("天", "d"), ("周", "w")]
}

extension OffsetInstant {
    /// The reason a text is not an instant, worded as what to write.
    static func advice(on text: String) -> Advice {
        if ["now", "asap", "immediately"].contains(text.lowercased()) {
            return Advice("leave out 'schedule' to send when it is applied")
        }
        let text = text.prefix(10).replacing("/", with: "-") + text.dropFirst(10)
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: true) { "Tt ".contains($0) }
        let day = parts.first.map(String.init) ?? ""
        let isDay = day.utf8.count == 10 && day.utf8.allSatisfy { $0.isDigit || $0 == .dash }
        guard isDay else { return Advice("write the date, the time and the offset from UTC") }
        guard OffsetInstant(day + "T00:00:00Z") != nil else { return Advice("there is no day \(day)") }
        var time = parts.count == 2 ? String(parts[1].prefix { $0.isNumber || $0 == ":" }) : "20:00:00"
        if time.utf8.count == 5 { time += ":00" }
        guard OffsetInstant("\(day)T\(time)Z") != nil else {
            return Advice("write the time as hours, minutes and seconds: 20:00:00")
        }
        var offset = String(parts.last?.filter { $0 != " " }.drop { $0.isNumber || $0 == ":" } ?? "")
        if offset.utf8.count == 5 { offset.insert(":", at: offset.index(offset.startIndex, offsetBy: 3)) }
        if parts.count == 2, OffsetInstant("\(day)T\(time)\(offset)") != nil {
            return .write("\(day)T\(time)\(offset)")
        }
        // Which offset, nobody can tell.
        return Advice("add the offset from UTC, for example \(day)T\(time)+08:00")
    }
}
