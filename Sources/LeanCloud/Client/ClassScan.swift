package import Base
internal import HTTP
package import Push

/// Reads every object of a class, page by page.
///
/// Uses `scan`, whose cursor lives ten minutes; on a server without `scan`, pages are read in order of creation.
/// Source: LeanCloud, "数据存储 REST API 使用指南", 遍历 Class.
package struct ClassScan: Sendable {
    package enum Position: Hashable, Sendable {
        /// The beginning of the class.
        case start
        /// The service's cursor.
        case cursor(String)
        /// After this object, in the order of creation.
        case after(createdAt: Instant, objectID: String)
    }

    /// One page of the class.
    package struct Page: Sendable {
        package let objects: [JSONObject]
        /// The position of the next page; nil: this is the last.
        package let next: Position?
        /// The server's time when it answered; nil when the answer had none.
        package let date: Instant?
    }

    /// The reason a page cannot be read.
    package enum Failure: Error, Sendable {
        /// The service no longer knows the cursor: only a new scan helps.
        case lostCursor
        /// Anything else.
        case remote(RemoteError)
    }

    let api: LeanCloudAPI
    package let className: String
    /// The condition on the objects; nil: none.
    package let condition: JSONValue?
    /// The fields to return besides id and times; empty: all.
    package let keys: [String]
    /// The number of objects per page, 1 to 1,000.
    package let pageSize: Int

    /// Reads a page; nil when the class does not exist.
    ///
    /// - Throws: ``Failure``
    package func page(at position: Position) async throws(Failure) -> Page? {
        switch position {
        case .start:
            if let page = try await scanned() { return page }
            // A server without `scan`, or that refuses it, may still answer an ordinary query.
            return try await ordered(after: nil)
        case .cursor(let cursor):
            if let page = try await scanned(from: [("cursor", cursor)]) { return page }
            // A new scan will tell whether the class itself has vanished.
            throw .lostCursor
        case .after(let time, let id): return try await ordered(after: (time, id))
        }
    }

    private func query() -> [(String, String)] {
        var query = [("limit", String(min(max(pageSize, 1), 1000))), ("returnACL", "true")]
        if let condition { query.append(("where", condition.canonicalText)) }
        if !keys.isEmpty { query.append(("keys", keys.joined(separator: ","))) }
        return query
    }

    /// Reads a page of a scan; nil when there is no such class, or the service refuses it.
    private func scanned(from cursor: [(String, String)] = []) async throws(Failure) -> Page? {
        do throws(RemoteError) {
            let answer = try await api.read("/scan/classes/\(className)", query: query() + cursor)
            if let value = answer.value { return try page(value, answer.date) }
        } catch {
            guard error.kind == .refused else { throw .remote(error) }
        }
        return nil
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

    /// Reads a page in the order of creation, continuing after the last object so that no object is missed when others
    /// are deleted. Only an empty page is the last, since a service may return fewer objects than asked for.
    private func ordered(after last: (time: Instant, id: String)?) async throws(Failure) -> Page? {
        do throws(RemoteError) {
            var query = query().filter { $0.0 != "where" } + [("order", "createdAt,objectId")]
            if let condition = Self.joined(condition, last.map { .object(Self.following($0.time, $0.id)) }) {
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
            if let last, (time, id) <= (last.time, last.id) { throw fault("the answer keeps repeating objects") }
            return Page(objects: objects, next: .after(createdAt: time, objectID: id), date: answer.date)
        } catch {
            throw .remote(error)
        }
    }

    /// The condition on the objects that were created after one.
    static func following(_ time: Instant, _ id: String) -> JSONObject {
        let date: JSONValue = ["__type": "Date", "iso": .string(time.isoText)]
        return ["$or": [["createdAt": ["$gt": date]], ["createdAt": date, "objectId": ["$gt": .string(id)]]]]
    }

    private static func joined(_ first: JSONValue?, _ second: JSONValue?) -> JSONValue? {
        guard let first, let second else { return first ?? second }
        return ["$and": [first, second]]
    }

    private func fault(_ text: String) -> RemoteError { RemoteError(.unexpectedAnswer, "\(className): \(text)") }
}

extension LeanCloudAPI {
    /// Creates a scan of a class.
    ///
    /// - Parameters:
    ///   - className: the class.
    ///   - condition: the condition on the objects; nil: none.
    ///   - keys: the fields to return besides id and times; empty: all.
    ///   - pageSize: the number of objects per page, 1 to 1,000.
    /// - Returns: a scan, which only reads.
    package func scan(
        _ className: String, where condition: JSONValue? = nil, keys: [String] = [], pageSize: Int = 500
    ) -> ClassScan {
        ClassScan(
            api: self, className: className, condition: condition, keys: keys, pageSize: min(max(pageSize, 1), 1000))
    }
}

/// Ensures that a scan terminates, whatever the service answers.
package struct ScanWatch {
    /// The most empty pages in a row, as may occur without matches; a million objects have a thousand pages.
    private static let mostEmpty = 1000

    private let className: String
    private var passed: Set<ClassScan.Position> = []
    private var empty = 0

    /// Starts to watch the scan of a class.
    package init(_ className: String) {
        self.className = className
    }

    /// Records a page.
    ///
    /// - Throws: `RemoteError` when the next page was read before, or when empty pages do not end.
    package mutating func pass(_ page: ClassScan.Page, at position: ClassScan.Position) throws(RemoteError) {
        guard let next = page.next else {
            self = ScanWatch(className)
            return
        }
        passed.insert(position)
        guard !passed.contains(next) else { throw fault("the service keeps repeating its cursor") }
        empty = page.objects.isEmpty ? empty + 1 : 0
        guard empty < Self.mostEmpty else { throw fault("the service keeps returning empty pages") }
    }

    private func fault(_ text: String) -> RemoteError { RemoteError(.unexpectedAnswer, "\(className): \(text)") }
}
