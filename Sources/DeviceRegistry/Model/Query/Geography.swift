internal import Base

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

/// `{"$box": [south-west, north-east]}`.
struct Box {
    private let southWest: GeoPoint
    private let northEast: GeoPoint

    /// Parses the argument of `$within`.
    ///
    /// - Throws: ``RegistryError`` with code 102 or 302.
    init(_ argument: JSONValue) throws(RegistryError) {
        guard let corners = argument["$box"]?.array, corners.count == 2, argument.object?.count == 1 else {
            throw RegistryError(.invalidQuery, "$within takes a $box of two GeoPoints.")
        }
        southWest = try GeoPoint(corners[0])
        northEast = try GeoPoint(corners[1])
    }

    /// SQL that is true for a place in the box; a box whose west is east of its east crosses the 180th meridian.
    func sql(_ table: ObjectTable, _ path: FieldPath) -> SQLText {
        let operand = table.operand(path)
        let longitude = operand.degrees("longitude")
        let crosses = southWest.longitude > northEast.longitude
        return SQLText(
            sql: """
                (\(operand.member("__type")) = 'GeoPoint' AND \(operand.degrees("latitude")) BETWEEN ? AND ? \
                AND (\(longitude) >= ? \(crosses ? "OR" : "AND") \(longitude) <= ?))
                """,
            arguments: [southWest.latitude, northEast.latitude, southWest.longitude, northEast.longitude])
    }
}
