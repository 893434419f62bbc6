internal import Base

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
            let start = cursor ?? .start
            let walk = try InstallationWalk(
                filter, after: start, dialect: db.dialect, most: mostExamined, timeLimit: timeLimit)
            var objects: [StoredObject] = []
            var last: InstallationCursor?
            var examined = 0
            var hasMore = false
            try db.each(walk.statement) { row in
                hasMore = objects.count >= limit || examined >= mostExamined
                guard !hasMore else { return false }
                examined += 1
                if row.text(4) != nil { objects.append(try StoredObject(row)) }
                last = InstallationCursor(row: row.integer(0) ?? 0, count: start.count + objects.count)
                return true
            }
            return InstallationPage(
                objects: objects, next: hasMore ? last : nil, examined: examined,
                stoppedEarly: hasMore && objects.count < limit)
        }
    }

    /// Counts the devices that match a filter, among the ``mostExamined`` that were registered last.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid or took too long.
    package func installationCount(
        _ filter: InstallationFilter, mostExamined: Int = mostExamined
    ) async throws(RegistryError) -> ListCount {
        let timeLimit = queryTimeLimit
        return try await query(filter.condition ?? [:]) { db in
            let walk = try InstallationWalk(
                filter, after: .start, dialect: db.dialect, most: mostExamined, timeLimit: timeLimit)
            let row = try db.rows(walk.counting).first
            return ListCount(row?.number(1) ?? 0, isAtLeast: row.map { $0.number(0) > mostExamined } ?? false)
        }
    }
}
