package import Base
package import DeviceRegistry
internal import Foundation
internal import Push

/// The query language read word for word, over objects in memory: what the SQL must agree with.
package struct NaiveEvaluator {
    /// The objects of each class, as clients read them.
    package let classes: [String: [JSONValue]]

    /// Users, teams, things and devices in a registry; every one's id is known to the maker before it is made.
    package init(filling registry: Registry, by maker: inout ConditionMaker) async throws {
        maker.people = ["nobody"]
        var classes: [String: [JSONValue]] = [:]
        for (name, count) in [("_User", 12), ("Team", 12), ("Thing", 60), ("_Installation", 120)] {
            let className = try ClassName(name)
            for index in 0..<count {
                var fields = className.isInstallation ? maker.device(index) : maker.fields()
                if className == .user { fields["username"] = .string("user\(index)") }
                let day = Instant(milliseconds: 1_577_836_800_000).advanced(byDays: Int64(index % 5))
                let written = try await registry.create(fields, in: className, as: .master, at: day).object
                classes[name, default: []].append(written.json())
                maker.people.append(written.objectID)
            }
        }
        self.classes = classes
    }

    /// True if an object fits a condition.
    package func fits(_ object: JSONValue, _ condition: JSONValue) -> Bool {
        if let conditions = condition.array { return conditions.allSatisfy { fits(object, $0) } }
        return (condition.object ?? [:]).allSatisfy { key, value in
            switch key {
            case "$and": (value.array ?? []).allSatisfy { fits(object, $0) }
            case "$or": (value.array ?? []).contains { fits(object, $0) }
            default: passes(Self.value(of: key, in: object), value)
            }
        }
    }

    /// The number that a test was made with.
    private static func number(_ value: JSONValue?) -> Double { value?.double ?? .nan }

    private static func value(of key: String, in object: JSONValue) -> JSONValue? {
        let value = key.split(separator: ".").reduce(object as JSONValue?) { $0?[String($1)] }
        // Times of objects are shown as texts and asked for as Dates.
        guard key == "createdAt" || key == "updatedAt", let value else { return value }
        return ["__type": "Date", "iso": value]
    }

    private func passes(_ value: JSONValue?, _ test: JSONValue) -> Bool {
        guard let operators = test.object, operators.keys.contains(where: { $0.hasPrefix("$") }) else {
            return equals(value, test)
        }
        return operators.allSatisfy { name, argument in passes(value, name, argument, operators) }
    }

    private func passes(_ value: JSONValue?, _ name: String, _ argument: JSONValue, _ all: JSONObject) -> Bool {
        switch name {
        case "$ne": !equals(value, argument)
        case "$gt": anyOf(value) { Self.compare($0, argument) == 1 }
        case "$gte": anyOf(value) { (Self.compare($0, argument) ?? -1) >= 0 }
        case "$lt": anyOf(value) { Self.compare($0, argument) == -1 }
        case "$lte": anyOf(value) { (Self.compare($0, argument) ?? 1) <= 0 }
        case "$in": (argument.array ?? []).contains { equals(value, $0) }
        case "$nin": !(argument.array ?? []).contains { equals(value, $0) }
        case "$all": !(argument.array ?? []).isEmpty && (argument.array ?? []).allSatisfy { equals(value, $0) }
        case "$exists": (value != nil) == argument.bool
        case "$size": value?.array.map { Int64($0.count) == argument.integer } ?? false
        case "$regex":
            anyOf(value) {
                $0.string.map { Self.finds(argument.string ?? "", all["$options"]?.string, in: $0) } == true
            }
        case "$nearSphere": isNear(value, argument, all)
        case "$within": isWithin(value, argument["$box"]?.array ?? [])
        case "$inQuery": isPointer(value, argument)
        case "$notInQuery": !isPointer(value, argument)
        case "$select": isSelected(value, argument)
        case "$dontSelect": !isSelected(value, argument)
        case "$options", "$maxDistance", "$maxDistanceInRadians", "$maxDistanceInMiles", "$maxDistanceInKilometers",
            "$minDistance":
            true
        default: fatalError("no such operator: \(name)")
        }
    }

    /// A list passes when it does itself or one of its elements does.
    private func anyOf(_ value: JSONValue?, _ test: (JSONValue) -> Bool) -> Bool {
        guard let value else { return false }
        return test(value) || (value.array ?? []).contains(where: test)
    }

    private func equals(_ value: JSONValue?, _ wanted: JSONValue) -> Bool {
        wanted.isNull && value == nil || anyOf(value) { $0 == wanted }
    }

    /// -1, 0 or 1 for values of one type, else nothing.
    private static func compare(_ left: JSONValue, _ right: JSONValue) -> Int? {
        if let left = left.double, let right = right.double { return left < right ? -1 : left > right ? 1 : 0 }
        if left["__type"] == "Date", right["__type"] == "Date" {
            return compare(left["iso"] ?? .null, right["iso"] ?? .null)
        }
        guard let left = left.string, let right = right.string else { return nil }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : left == right ? 0 : 1
    }

    /// The patterns of the test are a text, perhaps after `^`.
    private static func finds(_ pattern: String, _ options: String?, in text: String) -> Bool {
        let ignoresCase = options == "i"
        let text = ignoresCase ? text.lowercased() : text
        let wanted = ignoresCase ? pattern.lowercased() : pattern
        return wanted.hasPrefix("^") ? text.hasPrefix(wanted.dropFirst()) : text.contains(wanted)
    }

    private func isNear(_ value: JSONValue?, _ center: JSONValue, _ all: JSONObject) -> Bool {
        guard let value, value["__type"] == "GeoPoint" else { return false }
        // By the angle between two vectors, where the server goes by the haversine.
        func vector(_ point: JSONValue) -> [Double] {
            let (latitude, longitude) = (
                Self.number(point["latitude"]) * .pi / 180, Self.number(point["longitude"]) * .pi / 180
            )
            return [cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)]
        }
        let (a, b) = (vector(value), vector(center))
        let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        let distance = atan2(
            cross.map { $0 * $0 }.reduce(0, +).squareRoot(), zip(a, b).map { $0 * $1 }.reduce(0, +))
        let longest =
            [
                all["$maxDistance"]?.double, all["$maxDistanceInRadians"]?.double,
                all["$maxDistanceInMiles"]?.double.map { $0 / 3958.8 },
                all["$maxDistanceInKilometers"]?.double.map { $0 / 6371.0 },
            ].compactMap { $0 }.min() ?? .infinity
        return distance <= longest && distance >= all["$minDistance"]?.double ?? 0
    }

    private func isWithin(_ value: JSONValue?, _ box: [JSONValue]) -> Bool {
        guard value?["__type"] == "GeoPoint" else { return false }
        func isBetween(_ key: String) -> Bool {
            (Self.number(box[0][key])...Self.number(box[1][key])).contains(Self.number(value?[key]))
        }
        return isBetween("latitude") && isBetween("longitude")
    }

    private func isPointer(_ value: JSONValue?, _ argument: JSONValue) -> Bool {
        guard value?["__type"] == "Pointer" else { return false }
        let named = argument["className"]?.string
        guard named == nil || value?["className"]?.string == named else { return false }
        let condition = named == nil ? argument["where"] ?? argument : argument["where"] ?? [:]
        return (classes[value?["className"]?.string ?? ""] ?? []).contains {
            $0["objectId"] == value?["objectId"] && fits($0, condition)
        }
    }

    private func isSelected(_ value: JSONValue?, _ argument: JSONValue) -> Bool {
        let query = argument["query"] ?? [:]
        let values = (classes[query["className"]?.string ?? ""] ?? []).filter { fits($0, query["where"] ?? [:]) }
            .compactMap { Self.value(of: argument["key"]?.string ?? "", in: $0) }.flatMap { $0.array ?? [$0] }
        return anyOf(value) { value in !value.isNull && values.contains(value) }
    }
}
