internal import GRDB
internal import JSONValue

extension Registry {
    /// One page looks at this many devices at most.
    package static let mostExamined = 20_000

    /// The next devices that a filter lets through.
    ///
    /// Whatever the filter, at most ``mostExamined`` devices are read; a search that found too few of them says so, and
    /// goes on from the page's cursor.
    ///
    /// - Parameters:
    ///   - filter: which devices.
    ///   - cursor: the end of the page before; `nil` for the first page.
    ///   - limit: how many devices a page has, from 1.
    ///   - mostExamined: how many devices are looked at.
    /// - Throws: ``RegistryError`` when the condition cannot be read or took too long.
    package func installations(
        _ filter: InstallationFilter, after cursor: InstallationCursor? = nil, limit: Int,
        mostExamined: Int = mostExamined
    ) async throws(RegistryError) -> InstallationPage {
        let timeLimit = queryTimeLimit
        return try await query(filter.condition ?? [:]) { db in
            let walk = try InstallationWalk(filter, after: cursor ?? .start, timeLimit: timeLimit)
            let rows = try Row.fetchCursor(db, SQLRequest<Row>(literal: walk.statement))
            var objects: [StoredObject] = []
            var last: InstallationCursor?
            var examined = 0
            while let row = try rows.next() {
                guard objects.count < limit, examined < mostExamined else {
                    return InstallationPage(
                        objects: objects, next: last, examined: examined, stoppedEarly: objects.count < limit)
                }
                examined += 1
                last = InstallationCursor(row: row["id"])
                if row["document"] as String? != nil { objects.append(try StoredObject(row)) }
            }
            return InstallationPage(objects: objects, next: nil, examined: examined, stoppedEarly: false)
        }
    }
}
