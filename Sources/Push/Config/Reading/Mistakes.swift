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
            return (field, "; did you mean \(quoted(field ?? meant.joined(separator: ".")))?", true)
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
