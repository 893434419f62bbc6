package import Base
internal import FoundationEssentials
package import Push

/// A value that a condition compares with, by LeanCloud's types.
///
/// Source: docs/background/leancloud/objects.md#typed-values.
enum TypedValue: Hashable {
    /// A missing field, or `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    case number(JSONValue)
    case text(String)
    /// `{"__type":"Date"}`.
    case date(Instant)
    /// `{"__type":"Pointer"}`.
    case pointer(ClassName, objectID: String)
    /// `{"__type":"GeoPoint"}`.
    case point(GeoPoint)
    /// A list or any other object, compared as a whole.
    case whole(JSONValue)

    /// Converts a value of a request to its type.
    ///
    /// - Throws: ``RegistryError`` when a typed value is incomplete.
    init(_ value: JSONValue) throws(RegistryError) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .integer, .number: self = .number(value)
        case .string(let text): self = .text(try Self.withoutNUL(text))
        case .array: self = .whole(value)
        case .object(let members):
            switch members["__type"]?.string {
            case "Date": self = .date(try Instant(typed: members))
            case "Pointer":
                let (className, objectID) = try Self.pointer(members)
                self = .pointer(className, objectID: try Self.withoutNUL(objectID))
            case "GeoPoint": self = .point(try GeoPoint(value))
            default: self = .whole(value)
            }
        }
    }

    /// Rejects a string that SQLite would cut at its NUL.
    static func withoutNUL(_ text: String) throws(RegistryError) -> String {
        guard !text.utf8.contains(0) else {
            throw RegistryError(.invalidQuery, "A text in a condition holds a NUL, which no text has.")
        }
        return text
    }

    static func pointer(_ members: JSONObject) throws(RegistryError) -> (ClassName, String) {
        guard let name = members["className"]?.string, let objectID = members["objectId"]?.string else {
            throw RegistryError(.invalidPointer, "A pointer has a className and an objectId.")
        }
        return (try ClassName(name), objectID)
    }
}

extension JSONValue {
    /// True if a key or string in it contains a NUL.
    package var holdsNUL: Bool {
        switch self {
        case .null, .bool, .integer, .number: false
        case .string(let text): text.utf8.contains(0)
        case .array(let elements): elements.contains(where: \.holdsNUL)
        case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.holdsNUL }
        }
    }

    /// True if an object within this value has a member with that name.
    package func mentions(_ name: String) -> Bool {
        switch self {
        case .null, .bool, .integer, .number, .string: false
        case .array(let elements): elements.contains { $0.mentions(name) }
        case .object(let members): members.contains { $0.key == name || $0.value.mentions(name) }
        }
    }
}

extension Instant {
    /// The instant as values have it: `{"__type":"Date","iso":…}`.
    package var typed: JSONValue { ["__type": "Date", "iso": .string(isoText)] }

    /// The instant of a `{"__type":"Date","iso":…}`.
    init(typed members: JSONObject) throws(RegistryError) {
        guard let text = members["iso"]?.string, let instant = Instant(iso: text) else {
            throw RegistryError(.incorrectType, "A Date has an iso such as 2015-06-21T18:02:52.249Z.")
        }
        self = instant
    }
}

/// A point on the globe, in degrees.
struct GeoPoint: Hashable {
    let latitude: Double
    let longitude: Double

    /// Parses a `{"__type":"GeoPoint","latitude":…,"longitude":…}`.
    ///
    /// - Throws: ``RegistryError`` with code 302 beyond ±90 or ±180 degrees.
    init(_ value: JSONValue) throws(RegistryError) {
        guard let latitude = value["latitude"]?.double, let longitude = value["longitude"]?.double,
            abs(latitude) <= 90, abs(longitude) <= 180
        else {
            throw RegistryError(
                .invalidGeoPoint, "A GeoPoint has a latitude from -90 to 90 and a longitude from -180 to 180.")
        }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// `$nearSphere` with its distance limits.
struct NearSphere {
    private let center: GeoPoint
    private let longest: Double?
    private let shortest: Double?

    /// Parses the operators of one key; distances are converted to radians.
    ///
    /// - Throws: ``RegistryError`` with code 102 or 302.
    init(_ members: JSONObject) throws(RegistryError) {
        center = try GeoPoint(members["$nearSphere"] ?? .null)
        // The radii by which the vendor's own SDKs divide, in the operator's unit.
        let units = [
            ("$maxDistance", 1), ("$maxDistanceInRadians", 1), ("$maxDistanceInMiles", 3958.8),
            ("$maxDistanceInKilometers", 6371.0),
        ]
        var longest: Double?
        for (name, radius) in units {
            guard let distance = try Self.distance(name, members) else { continue }
            longest = min(longest ?? .infinity, distance / radius)
        }
        self.longest = longest
        shortest = try Self.distance("$minDistance", members)
    }

    /// The distance from the centre, in radians.
    func distance(_ table: ObjectTable, _ path: FieldPath) -> SQLText {
        table.operand(path).distance(to: center)
    }

    /// SQL that is true for a place within the limits.
    func sql(_ table: ObjectTable, _ path: FieldPath) -> SQLText {
        var clauses = [SQLText(sql: "\(table.operand(path).member("__type")) = 'GeoPoint'")]
        if let longest {
            // Most places are outside the band of latitudes, which is cheaper to test than a distance.
            let degrees = longest * 180 / .pi + 0.000_001
            clauses.append(
                SQLText(
                    sql: "\(table.operand(path).degrees("latitude")) BETWEEN ? AND ?",
                    arguments: [center.latitude - degrees, center.latitude + degrees]))
            clauses.append(distance(table, path) + SQLText(sql: " <= ?", arguments: [longest]))
        }
        if let shortest { clauses.append(distance(table, path) + SQLText(sql: " >= ?", arguments: [shortest])) }
        return .all(of: clauses)
    }

    private static func distance(_ name: String, _ members: JSONObject) throws(RegistryError) -> Double? {
        guard let value = members[name] else { return nil }
        guard let distance = value.double, distance >= 0 else {
            throw RegistryError(.invalidQuery, "\(name) takes a number from 0.")
        }
        return distance
    }
}

// MARK: - Registry

extension Instant {
    /// The machine's time.
    package static var system: Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// The instant `seconds` later; earlier when negative.
    package func advanced(bySeconds seconds: Double) -> Instant {
        self + .milliseconds(Int64((seconds * 1000).rounded()))
    }

    /// The instant `days` days of 24 hours later; earlier when negative.
    package func advanced(byDays days: Int64) -> Instant {
        Instant(milliseconds: milliseconds + days * 86_400_000)
    }

    /// Reads RFC 3339 as the service does, which also takes the offset without its colon, as in ISO 8601: `+0800`.
    ///
    /// Source: docs/background/leancloud/devices.md#fields.
    package init?(iso text: String) {
        let offset = text.utf8.suffix(5)
        let lacksColon = offset.first == UInt8(ascii: "+") || offset.first == UInt8(ascii: "-")
        self.init(lacksColon ? "\(text.dropLast(2)):\(text.suffix(2))" : text)
    }
}
