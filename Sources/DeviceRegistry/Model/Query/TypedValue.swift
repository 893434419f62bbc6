internal import Base
internal import Push

/// A value that a condition compares with, by LeanCloud's types.
///
/// Source: docs/background/leancloud/objects.md#typed-values.
enum TypedValue: Hashable {
    /// A missing field, or `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(JSONValue)
    /// Text.
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

    /// Returns the class and object of a pointer.
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
    /// The instant of a `{"__type":"Date","iso":…}`.
    init(typed members: JSONObject) throws(RegistryError) {
        guard let text = members["iso"]?.string, let instant = Instant(iso: text) else {
            throw RegistryError(.incorrectType, "A Date has an iso such as 2015-06-21T18:02:52.249Z.")
        }
        self = instant
    }

    /// The instant of a Date, or of its string alone, which is allowed for the times of objects.
    init(loose value: JSONValue) throws(RegistryError) {
        if let members = value.object {
            self = try Instant(typed: members)
        } else if let text = value.string, let instant = Instant(iso: text) {
            self = instant
        } else {
            throw RegistryError(.incorrectType, "A time is compared with a Date.")
        }
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
