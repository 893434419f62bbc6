package import Base
internal import Foundation
package import HTTP
package import Push

/// LeanCloud's storage in memory: classes of objects, with conditional writes.
package struct ObjectStore: Sendable {
    /// The objects of each class, in the order of their times and ids.
    package private(set) var classes: [String: [FakeObject]] = [:]
    /// The most objects of an answer, however many are asked for.
    package var mostObjects = Int.max
    private var created = 0

    /// No class at all.
    package init() {}

    /// Makes an object.
    package mutating func make(_ className: String, _ members: JSONObject, at now: Instant) -> FakeObject {
        created += 1
        let number = String(created)
        let id = "id" + String(repeating: "0", count: 8 - number.count) + number
        let object = FakeObject(objectID: id, createdAt: now.isoText, members: members)
        classes[className, default: []].append(object)
        return object
    }

    /// Does what a call asks for: the status and the body of the answer.
    package mutating func carryOut(_ call: ServiceCall, at now: Instant) -> (Int, JSONValue) {
        var parts = call.path.split(separator: "/").map(String.init)
        if parts.dropFirst() == ["installations"] { parts = [parts[0], "classes", "_Installation"] }
        guard parts.count >= 3, parts[1] == "classes" else { return (404, ["code": 1, "error": "no such path"]) }
        let condition = call.query["where"].flatMap { try? JSONValue(parsing: $0) } ?? [:]
        switch call.method {
        case .get: return list(parts[2], condition, call.query)
        case .post:
            let object = make(parts[2], call.body?.object ?? [:], at: now)
            return (201, ["objectId": .string(object.objectID), "createdAt": .string(now.isoText)])
        case .put, .delete:
            guard parts.count == 4, var objects = classes[parts[2]],
                let index = objects.firstIndex(where: { $0.objectID == parts[3] })
            else { return (404, ["code": 101, "error": "Class or object doesn't exists."]) }
            guard objects[index].fits(condition) else {
                return (400, ["code": 305, "error": "No effect on updating/deleting a document."])
            }
            for (key, value) in call.body?.object ?? [:] {
                objects[index].members[key] = value["__op"]?.string == "Delete" ? nil : value
            }
            if call.method == .delete { objects.remove(at: index) }
            classes[parts[2]] = objects
            return (200, ["updatedAt": .string(now.isoText)])
        }
    }

    private func list(_ className: String, _ condition: JSONValue, _ query: [String: String]) -> (Int, JSONValue) {
        guard let objects = classes[className] else {
            return (404, ["code": 101, "error": "Class or object doesn't exists."])
        }
        // Objects stand in the order of their times and ids.
        let found = objects.lazy.filter { $0.fits(condition) }
        let limit = min(mostObjects, query["limit"].flatMap { Int($0) } ?? 100)
        var answer: JSONValue = ["results": .array(Array(found.prefix(limit).map(\.json)))]
        if query["count"] == "1" { answer["count"] = .integer(Int64(found.count)) }
        return (200, answer)
    }
}

/// One object of a class.
package struct FakeObject: Sendable {
    let objectID: String
    let createdAt: String
    var members: JSONObject

    /// The object as an answer says it.
    package var json: JSONValue {
        .object(members.merging(["objectId": .string(objectID), "createdAt": .string(createdAt)]) { $1 })
    }

    private func member(_ key: String) -> JSONValue? {
        switch key {
        case "objectId": .string(objectID)
        case "createdAt": .string(createdAt)
        default: members[key]
        }
    }

    func fits(_ condition: JSONValue) -> Bool {
        (condition.object ?? [:]).allSatisfy { key, test in
            if key == "$or" { return (test.array ?? []).contains(where: fits) }
            if key == "$and" { return (test.array ?? []).allSatisfy(fits) }
            let value = Self.plain(member(key))
            guard let tests = test.object, tests["__type"] == nil else {
                return value == Self.plain(test) || value?.array?.contains(test) == true
            }
            return tests.allSatisfy { name, bound in
                let bound = Self.plain(bound)
                return switch name {
                case "$gt": Self.isLess(bound, value)
                case "$gte": !Self.isLess(value, bound)
                case "$lt": Self.isLess(value, bound)
                case "$ne": value != bound
                case "$lte": !Self.isLess(bound, value)
                case "$in": Self.isOne(value, of: bound)
                case "$nin": !Self.isOne(value, of: bound)
                case "$exists": bound?.bool == (value != nil)
                default: false
                }
            }
        }
    }

    private static func plain(_ value: JSONValue?) -> JSONValue? { value?["iso"] ?? value }

    private static func isOne(_ value: JSONValue?, of list: JSONValue?) -> Bool {
        (list?.array ?? []).contains { $0 == value || value?.array?.contains($0) == true }
    }

    private static func isLess(_ left: JSONValue?, _ right: JSONValue?) -> Bool {
        if let left = left?.string, let right = right?.string { return left < right }
        if let left = left?.double, let right = right?.double { return left < right }
        return false
    }
}

/// A request to a service with LeanCloud's API, taken apart.
package struct ServiceCall: Sendable {
    /// The method.
    package let method: HTTPRequest.Method
    /// From `/1.1` on, without the query.
    package let path: String
    /// The query.
    package let query: [String: String]
    /// The body; nil when it is none of JSON.
    package let body: JSONValue?
    /// The headers.
    package let headers: [(String, String)]
    /// True if it may be written twice.
    package let repetition: HTTPRequest.Repetition
    /// When it is too late to write it.
    package let notAfter: ContinuousClock.Instant?

    /// Takes a request apart.
    package init(_ request: HTTPRequest) {
        method = request.method
        let parts = request.url.split(separator: "?", maxSplits: 1)
        let start = parts[0].firstRange(of: "/1.1")?.lowerBound ?? parts[0].startIndex
        path = String(parts[0][start...]).removingPercentEncoding ?? ""
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            query[String(sides[0])] = sides.count > 1 ? String(sides[1]).removingPercentEncoding : ""
        }
        self.query = query
        body = request.body.flatMap { try? JSONValue(parsing: $0) }
        headers = request.headers
        repetition = request.repetition
        notAfter = request.notAfter
    }
}
