/// A parsed condition, with the indexes that may drive it.
package struct QueryPlan {
    /// The table of the queried class.
    package let table: ObjectTable
    /// The tests, all of which must hold.
    package let terms: [Term]
    /// The distance that `$nearSphere` orders by, if the condition has one that must hold.
    package let nearness: SQLText?

    /// The condition without an index that drives it.
    package var clause: SQLText { .all(of: terms.map(\.clause)) }

    /// The condition, driven by the kind of index that usually has the fewest matches: for subqueries.
    var ledClause: SQLText {
        let leads = terms.enumerated().flatMap { index, term in term.leads.map { (index, $0) } }
        guard let best = leads.filter(\.1.fields.isEmpty).min(by: { $0.1.kind < $1.1.kind }) else { return clause }
        return clause(led: best.0, by: best.1)
    }

    /// The condition, driven by one of the indexes of the test at a place.
    package func clause(led index: Int, by lead: Lead) -> SQLText {
        var clauses = [SQLText(sql: "\(table.alias).id IN (") + lead.rows + SQLText(sql: ")")]
        for (position, term) in terms.enumerated() where position != index || !lead.isExact {
            clauses.append(term.clause)
        }
        return .all(of: clauses)
    }

    /// Selects the ids of all matches from a single index, if one suffices.
    package var rows: SQLText? {
        guard terms.count == 1 else { return nil }
        return terms[0].leads.first { $0.isExact && $0.isDistinct && $0.fields.isEmpty }?.rows
    }
}
