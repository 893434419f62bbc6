internal import Base
internal import YAML

/// Words that people use who come from LeanCloud, Apple or another tool, and their names here.
enum Mistakes {
    /// Keys, with the path of the intended field.
    static let fields: KeyValuePairs = [
        "alert": "Campaign.message.body", "text": "Campaign.message.body", "content": "Campaign.message.body",
        "aps": "Campaign.message.body", "payload": "Campaign.message.data", "custom": "Campaign.message.data",
        "push_time": "Campaign.schedule.at", "pushTime": "Campaign.schedule.at", "sendAt": "Campaign.schedule.at",
        "repeat": "Campaign.schedule.every", "interval": "Campaign.schedule.every",
        "days": "Campaign.schedule.on", "weekdays": "Campaign.schedule.on",
        "zone": "Campaign.schedule.timeZone", "tz": "Campaign.schedule.timeZone", "time": "Campaign.schedule.at",
        "exclude": "Campaign.schedule.except", "times": "Campaign.schedule.count", "end": "Campaign.schedule.until",
        "expire": "Campaign.expiration", "ttl": "Campaign.expiration", "expires": "Campaign.expiration",
        "expiration_interval": "Campaign.expiration.after", "expiration_time": "Campaign.expiration.at",
        "prod": "Campaign.environment", "cql": "Campaign.audience.where", "query": "Campaign.audience.where",
        "deviceType": "Campaign.audience.platforms", "all": "Campaign.audience.everyone",
        "weight": "Campaign.variants.<name>.share", "ratio": "Campaign.variants.<name>.share",
        "percent": "Campaign.variants.<name>.share", "percentage": "Campaign.variants.<name>.share",
        "start": "Workspace.policy.quietHours.from", "end": "Workspace.policy.quietHours.to",
        "bundleId": "DeviceProfile.topic", "p12": "DeviceProfile.certificate", "p8": "DeviceProfile.token",
    ]

    /// Values, with the word used here.
    static let values: KeyValuePairs = [
        "dev": "development", "sandbox": "development", "debug": "development",
        "prod": "production", "release": "production", "time-sensitive": "timeSensitive",
        "monday": "mon", "tuesday": "tue", "wednesday": "wed", "thursday": "thu", "friday": "fri", "saturday": "sat",
        "sunday": "sun", "daily": "day", "weekly": "week", "monthly": "month",
        "iphone": "ios", "ipad": "ios", "ipados": "ios", "apple": "ios", "apple": "apns", "apn": "apns",
        "lean": "leancloud",
    ]

    /// Operators of other query languages, with the text to write instead.
    static let operators = [
        "$eq": "equality needs no operator: write field: value",
        "$contains": "'$regex' matches part of a string; field: value matches an element of a list",
        "$like": "'$regex' matches part of a string", "$startsWith": "write {$regex: ^TEXT}",
        "$not": "'$ne' excludes a value, '$nin' several", "$between": "write '$gte' and '$lte' side by side",
    ]

    /// Comparisons as people write them, the longer ones first, with their operators.
    static let comparisons: KeyValuePairs = [
        ">=": "$gte", "<=": "$lte", "!=": "$ne", "<>": "$ne", ">": "$gt", "<": "$lt",
    ]

    /// The help for an unknown operator that resembles none.
    static let commonOperators = "common ones are $ne, $gt, $gte, $lt, $lte, $in, $nin, $all, $exists and $regex"

    /// What an unknown key means: the field of the same mapping, if it is one, and the text after "unknown key …", which
    /// names it or the mapping in which it belongs. It is sure when nothing else is as near.
    static func meaning(
        of key: String, in map: String, among names: [String]
    ) -> (field: String?, ending: String, isSure: Bool) {
        let (root, path) = split(map)
        /// The field of this mapping that a path leads to: a platform's mapping shares fields with the message.
        func own(_ meant: [String]) -> String? {
            path.starts(with: meant.dropLast()) ? meant.last.flatMap { names.contains($0) ? $0 : nil } : nil
        }
        let known = fields.map { (word: $0.key, meant: split($0.value)) }.filter { $0.meant.root == root }
        if let full = key.firstIndex(of: "："), names.contains(String(key[..<full])) {
            return (String(key[..<full]), "", false)
        }
        if let meant = known.first(where: { $0.word == key })?.meant.path {
            let field = own(meant)
            return (
                field, "; did you mean \(quoted(field ?? meant.joined(separator: ".")))?", meant.first != "audience"
            )
        }
        let words = known.filter { own($0.meant.path) != nil }
        let field =
            Suggestion.nearest(to: key, among: names)
            ?? Suggestion.nearest(to: key, among: words.map(\.word)).flatMap { near in
                words.first { $0.word == near }.flatMap { own($0.meant.path) }
            }
        if let field {
            return (field, "; did you mean \(quoted(field))?", Suggestion.only(to: key, among: names) == field)
        }
        guard let places = places[root]?[key] else { return (nil, "", false) }
        let holders = places.map { quoted($0.joined(separator: ".")) }
        return (
            nil, places.contains([]) ? "; it belongs at the top level" : "; it belongs in \(holders.alternatives)",
            false
        )
    }

    private static func split(_ path: String) -> (root: String, path: [String]) {
        let parts = path.split(separator: ".").map(String.init)
        return (parts.first ?? "", Array(parts.dropFirst()))
    }

    /// The outermost mappings that have a field, in each kind of document.
    private static let places = Dictionary(
        uniqueKeysWithValues: DocumentKind.allCases.map { ($0.rawValue, places(in: $0.description)) })

    private static func places(in root: MapDescription) -> [String: [[String]]] {
        var result: [String: [[String]]] = [:]
        var level: [(path: [String], map: MapDescription)] = [([], root)]
        while !level.isEmpty {
            var found: [String: [[String]]] = [:]
            for (path, map) in level { for field in map.fields { found[field.name, default: []].append(path) } }
            result.merge(found) { outer, _ in outer }
            level = level.flatMap { path, map in
                map.fields.flatMap { field in field.type.maps.map { (path + [field.name], $0) } }
            }
        }
        return result
    }

    /// The help for a key of another tool, or with characters that do not belong to its name.
    static func help(for key: String, in map: String) -> String? {
        if key.contains("：") { return fullWidthColon }
        if ["cron", "rrule"].contains(key), map == "Campaign" || map == "Campaign.schedule" { return recurrence }
        return invisible(in: key)
    }

    /// The help for a text with a character that nobody sees.
    static func invisible(in text: String) -> String? {
        text.unicodeScalars.first { HiddenCharacters.contain($0) || $0.isForeignSpace }
            .map { "remove the invisible character \($0.codePoint)" }
    }

    /// The shape of what repeats, for those who know cron.
    static let recurrence =
        "write 'every', 'on' and 'at': schedule: {every: week, on: [mon], at: \"09:00\", timeZone: Asia/Shanghai, "
        + "until: 2026-12-31}"

    /// True for five or six fields of a cron table.
    static func isCron(_ text: String) -> Bool {
        let fields = text.split(separator: " ")
        return (5...6).contains(fields.count)
            && fields.allSatisfy { $0.allSatisfy { "0123456789*/,-?LW#".contains($0) } }
    }

    static let fullWidthColon = "write ': ' instead of the full-width '：'"
}

extension FieldType {
    /// The mappings with known fields that a value of this type is or contains.
    package var maps: [MapDescription] {
        switch self {
        case .map(let map): [map]
        case .either(let types): types.flatMap(\.maps)
        case .list(let type, _), .entries(let type, _), .reference(let type): type.maps
        default: []
        }
    }
}

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
        func write(_ meant: String) -> Advice {
            // Who gets a push, a person decides.
            map.name == Audience.fields.description.name ? Advice("write \(meant)") : .write(meant)
        }
        // Of a message's texts it is the body.
        let fields = map.fields.filter { $0.name == "body" } + map.fields
        for isExact in [true, false] {
            for field in fields {
                if case .onlyTrue = field.type {
                    let words = Mistakes.fields.filter { $0.value.hasSuffix("." + field.name) }.map(\.key)
                    if text == field.name || words.contains(text) { return write("{\(field.name): true}") }
                } else if let value = field.type.spelling(of: text, isExact: isExact) {
                    return write("{\(field.name): \(value)}")
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
        if offset.count == 5 { offset.insert(":", at: offset.index(offset.startIndex, offsetBy: 3)) }
        if parts.count == 2, OffsetInstant("\(day)T\(time)\(offset)") != nil {
            return .write("\(day)T\(time)\(offset)")
        }
        // Which offset, nobody can tell.
        return Advice("add the offset from UTC, for example \(day)T\(time)+08:00")
    }
}

// MARK: - Words

extension FieldType {
    /// The expected form of a value, in words that follow "… must be".
    var expectation: String {
        switch self {
        case .constant(let text): "'\(text)'"
        case .name, .text, .timeZone, .url, .endpoint, .path, .workspacePath, .glob: "a string"
        case .boolean: "true or false"
        case .onlyTrue: "true"
        case .integer: "an integer"
        case .oneOfIntegers(let values): values.map(String.init).alternatives
        case .number: "a number"
        case .scalar: "a string, a number, true or false"
        case .choice(let values): values.alternatives
        case .duration: "a duration such as 90s, 15m, 36h, 7d or 2w"
        case .instant: "an instant such as 2026-11-27T20:00:00+08:00"
        case .sendTime: Self.instant.expectation
        case .date: "a date such as 2026-12-01"
        case .recurrenceDay: "mon to sun, 1 to 31 or last"
        case .percentage: "a percentage such as 20%"
        case .timeOfDay: "a time of day such as 22:00"
        case .secret: "{env: NAME} or {file: PATH}"
        case .reference(let type): "\(type.expectation) or {env: NAME}"
        case .condition, .object, .map, .entries: "a mapping"
        case .list: "a list"
        case .either(let types): types.map(\.expectation).alternatives
        }
    }

    /// True when the value is written as a YAML string.
    var isWrittenAsString: Bool {
        switch self {
        case .constant, .name, .text, .choice, .duration, .instant, .sendTime, .date, .recurrenceDay, .percentage,
            .timeOfDay, .timeZone, .url,
            .endpoint, .path, .workspacePath, .glob:
            true
        case .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .scalar, .secret, .condition, .object, .list, .map,
            .entries:
            false
        case .reference(let type): type.isWrittenAsString
        case .either(let types): types.contains(where: \.isWrittenAsString)
        }
    }
}

extension [String] {
    /// `a`, `a or b`, `a, b or c`.
    var alternatives: String {
        guard let last else { return "" }
        return count == 1 ? last : dropLast().joined(separator: ", ") + " or " + last
    }
}
