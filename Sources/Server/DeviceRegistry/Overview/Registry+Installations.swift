internal import GRDB
internal import JSONValue
package import RegistryModel

extension Registry {
    /// The maximum number of devices that one page examines.
    package static let mostExamined = 20_000

    /// Searches for the next devices that match a filter.
    ///
    /// Whatever the filter, at most ``mostExamined`` devices are read; a search that found too few of them says so, and
    /// continues from the page's cursor.
    ///
    /// - Parameters:
    ///   - filter: the filter; without any values it matches every device.
    ///   - cursor: the end of the previous page; `nil` for the first page.
    ///   - limit: the number of devices per page, from 1.
    ///   - mostExamined: the maximum number of examined devices.
    /// - Returns: the page, the last registered device first.
    /// - Throws: ``RegistryError`` when the condition is invalid or took too long.
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
