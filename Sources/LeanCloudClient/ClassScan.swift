internal import Basics
internal import CurlHTTP
package import JSONValue
package import PushModel

/// Reads a whole class page by page, for whoever must see every object of it.
///
/// `scan` does it with a cursor that lives ten minutes; a server that has no `scan` is asked for pages by time.
/// Source: LeanCloud, "数据存储 REST API 使用指南", 遍历 Class.
package struct ClassScan: Sendable {
    /// How far a scan came.
    package enum Position: Hashable, Sendable {
        /// Nothing was read.
        case start
        /// Up to where the service's cursor stands.
        case cursor(String)
        /// Up to this object, in the order of creation.
        case after(createdAt: Instant, objectID: String)
    }

    /// A part of the class.
    package struct Page: Sendable {
        /// The objects; every one is a mapping.
        package let objects: [JSONObject]
        /// Where the next page begins; nil: this was the last.
        package let next: Position?
        /// The server's clock when it answered; nil when it did not say.
        package let date: Instant?
    }

    /// Why there is no page.
    package enum Failure: Error, Sendable {
        /// The service does not know the cursor any more: only a new scan helps.
        case lostCursor
        /// Anything else.
        case remote(RemoteError)
    }

    let api: LeanCloudAPI
    /// The class.
    package let className: String
    /// What the objects must fit; nil: nothing.
    package let condition: JSONValue?
    /// The fields that are wanted beside id and times; empty: all.
    package let keys: [String]
    /// Objects a page, 1 to 1,000.
    package let pageSize: Int

    /// A page; nil when the class does not exist.
    ///
    /// - Throws: ``Failure``
    package func page(at position: Position) async throws(Failure) -> Page? {
        switch position {
        case .cursor(let cursor): return try await scanned(after: cursor)
        case .after(let time, let id): return try await ordered(after: (time, id))
        case .start: break
        }
        do throws(RemoteError) {
            let answer = try await api.read("/scan/classes/\(className)", query: query())
            if let value = answer.value { return try page(value, answer.date) }
        } catch {
            // A server without `scan`, or one that keeps it to itself, may still be asked the ordinary way.
            guard error.kind == .refused else { throw .remote(error) }
        }
        return try await ordered(after: nil)
    }

    private func query() -> [(String, String)] {
        var query = [("limit", String(min(max(pageSize, 1), 1000))), ("returnACL", "true")]
        if let condition { query.append(("where", condition.canonicalText)) }
        if !keys.isEmpty { query.append(("keys", keys.joined(separator: ","))) }
        return query
    }

    private func scanned(after cursor: String) async throws(Failure) -> Page? {
        do throws(RemoteError) {
            let answer = try await api.read("/scan/classes/\(className)", query: query() + [("cursor", cursor)])
            if let value = answer.value { return try page(value, answer.date) }
        } catch {
            guard error.kind == .refused else { throw .remote(error) }
        }
        // Whether it was the class that vanished, a new scan tells.
        throw .lostCursor
    }

    private func page(_ value: JSONValue, _ date: Instant?) throws(RemoteError) -> Page {
        let objects = try objects(value)
        let next = value["cursor"].flatMap { $0.isNull ? nil : $0.string ?? $0.canonicalText }
        return Page(objects: objects, next: next.flatMap { $0.isEmpty ? nil : .cursor($0) }, date: date)
    }

    private func objects(_ value: JSONValue) throws(RemoteError) -> [JSONObject] {
        let results = value["results"]?.array
        let objects = results?.compactMap(\.object) ?? []
        guard let results, objects.count == results.count else { throw fault("the answer has no list of objects") }
        return objects
    }

    /// Pages in the order of creation, continued after the last object, so that nothing is lost when objects go; only an
    /// empty one is the last, for a service may give fewer objects than it is asked for.
    private func ordered(after last: (time: Instant, id: String)?) async throws(Failure) -> Page? {
        do throws(RemoteError) {
            var query = query().filter { $0.0 != "where" } + [("order", "createdAt,objectId")]
            if let condition = Self.joined(condition, last.map(Self.following)) {
                query.append(("where", condition.canonicalText))
            }
            let answer = try await api.read("/classes/\(className)", query: query)
            guard let value = answer.value else { return nil }
            let objects = try objects(value)
            guard let end = objects.last else {
                return Page(objects: objects, next: nil, date: answer.date)
            }
            guard let id = end["objectId"]?.string, let time = end["createdAt"]?.instant else {
                throw fault("an object has no 'objectId' or 'createdAt'")
            }
            if let last, (time, id) <= (last.time, last.id) { throw fault("the answer repeats objects for ever") }
            return Page(objects: objects, next: .after(createdAt: time, objectID: id), date: answer.date)
        } catch {
            throw .remote(error)
        }
    }

    private static func following(_ time: Instant, _ id: String) -> JSONValue {
        let date: JSONValue = ["__type": "Date", "iso": .string(time.isoText)]
        return [
            "$or": [["createdAt": ["$gt": date]], ["createdAt": date, "objectId": ["$gt": .string(id)]]]
        ]
    }

    private static func joined(_ first: JSONValue?, _ second: JSONValue?) -> JSONValue? {
        guard let first, let second else { return first ?? second }
        return ["$and": [first, second]]
    }

    private func fault(_ text: String) -> RemoteError { RemoteError(.unexpectedAnswer, "\(className): \(text)") }
}

extension LeanCloudAPI {
    /// A scan of a class, which only reads.
    ///
    /// - Parameters:
    ///   - condition: what the objects must fit; nil: nothing.
    ///   - keys: the fields that are wanted beside id and times; empty: all.
    ///   - pageSize: objects a page, 1 to 1,000.
    package func scan(
        _ className: String, where condition: JSONValue? = nil, keys: [String] = [], pageSize: Int = 500
    ) -> ClassScan {
        ClassScan(
            api: self, className: className, condition: condition, keys: keys, pageSize: min(max(pageSize, 1), 1000))
    }
}
