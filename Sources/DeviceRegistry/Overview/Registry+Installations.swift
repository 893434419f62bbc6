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
        try await read { db in
            let walk = try InstallationWalk(filter, after: cursor ?? .start)
            var search = InstallationSearch(walk: walk, heads: [])
            for branch in walk.branches { search.open(try Row.fetchCursor(db, SQLRequest<Row>(literal: branch))) }
            return try search.page(limit: limit, mostExamined: mostExamined)
        }
    }
}

/// Merges the branches of a walk, device by device.
private struct InstallationSearch {
    let walk: InstallationWalk
    var heads: [Head]

    final class Head {
        private let rows: RowCursor
        private(set) var row: Row?

        init(_ rows: RowCursor) {
            self.rows = rows
        }

        func advance() throws { row = try rows.next() }

        var position: InstallationCursor? {
            row.map { InstallationCursor(updatedAt: $0["updatedAt"], row: $0["id"]) }
        }
    }

    mutating func open(_ rows: RowCursor) {
        heads.append(Head(rows))
    }

    func page(limit: Int, mostExamined: Int) throws -> InstallationPage {
        var objects: [StoredObject] = []
        var last: InstallationCursor?
        var examined = 0
        for head in heads { try head.advance() }
        while let (head, position) = first {
            guard objects.count < limit, examined < mostExamined else {
                return InstallationPage(
                    objects: objects, next: last, examined: examined, stoppedEarly: objects.count < limit)
            }
            examined += 1
            last = position
            if let row = head.row, row["document"] as String? != nil { objects.append(try StoredObject(row)) }
            try head.advance()
        }
        return InstallationPage(objects: objects, next: nil, examined: examined, stoppedEarly: false)
    }

    private var first: (Head, InstallationCursor)? {
        var found: (Head, InstallationCursor)?
        for head in heads {
            guard let position = head.position else { continue }
            if let best = found, !walk.precedes(position, best.1) { continue }
            found = (head, position)
        }
        return found
    }
}
