internal import Diagnostics
internal import LocatedYAML
package import PushModel

/// Words that people use who come from LeanCloud, Apple or another tool, and their names here.
enum Mistakes {
    /// Keys, with the path of the intended field.
    static let fields = [
        "alert": "Campaign.message.body", "text": "Campaign.message.body", "content": "Campaign.message.body",
        "aps": "Campaign.message.body", "payload": "Campaign.message.data", "custom": "Campaign.message.data",
        "push_time": "Campaign.schedule.at", "pushTime": "Campaign.schedule.at", "sendAt": "Campaign.schedule.at",
        "repeat": "Campaign.schedule.every", "interval": "Campaign.schedule.every", "cron": "Campaign.schedule.every",
        "rrule": "Campaign.schedule.every", "days": "Campaign.schedule.on", "weekdays": "Campaign.schedule.on",
        "zone": "Campaign.schedule.timeZone", "tz": "Campaign.schedule.timeZone", "time": "Campaign.schedule.at",
        "exclude": "Campaign.schedule.except", "times": "Campaign.schedule.count", "end": "Campaign.schedule.until",
        "expire": "Campaign.expiration", "ttl": "Campaign.expiration", "expires": "Campaign.expiration",
        "expiration_interval": "Campaign.expiration.after", "expiration_time": "Campaign.expiration.at",
        "prod": "Campaign.environment", "cql": "Campaign.audience.where", "query": "Campaign.audience.where",
        "deviceType": "Campaign.audience.platforms", "all": "Campaign.audience.everyone",
        "bundleId": "DeviceProfile.topic", "p12": "DeviceProfile.certificate", "p8": "DeviceProfile.token",
    ]

    /// Values, with the word used here.
    static let values = [
        "dev": "development", "sandbox": "development", "debug": "development",
        "prod": "production", "release": "production", "time-sensitive": "timeSensitive",
        "monday": "mon", "tuesday": "tue", "wednesday": "wed", "thursday": "thu", "friday": "fri", "saturday": "sat",
        "sunday": "sun", "daily": "day", "weekly": "week", "monthly": "month",
        "apple": "apns", "apn": "apns", "lean": "leancloud",
    ]

    /// Operators of other query languages, with the text to write instead.
    static let operators = [
        "$eq": "equality needs no operator: write field: value",
        "$contains": "'$regex' matches part of a string; field: value matches an element of a list",
        "$like": "'$regex' matches part of a string", "$startsWith": "write {$regex: ^TEXT}",
        "$not": "'$ne' excludes a value, '$nin' several", "$between": "write '$gte' and '$lte' side by side",
    ]

    /// The help for an unknown operator that resembles none.
    static let commonOperators = "common ones are $ne, $gt, $gte, $lt, $lte, $in, $nin, $all, $exists and $regex"

    /// The text after "unknown key …": the intended field, or the mapping in which it belongs.
    static func ending(for key: String, in map: String, among names: [String]) -> String {
        let (root, path) = split(map)
        if let meant = fields[key].map(split), meant.root == root {
            // A platform's mapping shares fields with the message.
            let isHere = path.starts(with: meant.path.dropLast()) && meant.path.last.map(names.contains) == true
            return "; did you mean \(quoted(isHere ? meant.path.last ?? "" : meant.path.joined(separator: ".")))?"
        }
        let near = Suggestion.ending(for: key, among: names)
        guard near.isEmpty, let places = places[root]?[key] else { return near }
        let holders = places.map { quoted($0.joined(separator: ".")) }
        return places.contains([]) ? "; it belongs at the top level" : "; it belongs in \(holders.alternatives)"
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

    /// The help for a key with characters that do not belong to its name.
    static func help(for key: String) -> String? {
        if key.contains("：") { return fullWidthColon }
        let hidden = key.unicodeScalars.first {
            HiddenCharacters.contain($0) || !$0.isASCII && $0.properties.isWhitespace
        }
        return hidden.map { "remove the invisible character U+\(String($0.value, radix: 16, uppercase: true))" }
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
