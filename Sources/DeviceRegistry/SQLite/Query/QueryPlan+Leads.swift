/// The choice of the index that drives a condition.
///
/// SQLite has no statistics here, and statistics know little of channels: the plan probes the indexes instead. The cost
/// is a fraction of that of reading the best of them. PostgreSQL chooses itself: its plans have no leads.
extension QueryPlan {
    /// An index with at least this many matches is not used when only the first objects of a page are wanted: reading
    /// in order finds them.
    private static let manyRows = 100_000
    /// The number of devices below which a registry needs no index over a custom field.
    private static let fewDevices: Int64 = 10_000

    /// Returns the condition, driven by the index with the fewest matches.
    ///
    /// `stopsEarly` is true if the first objects in the order of an index are enough; `wish` is called with the custom
    /// fields over which an index would have helped.
    func clause(
        in db: any RegistryTransaction, stopsEarly: Bool = false, wish: (Set<String>) -> Void = { _ in }
    ) throws -> SQLText {
        guard let (index, lead) = try best(in: db, stopsEarly: stopsEarly, wish) else {
            return clause
        }
        return clause(led: index, by: lead)
    }

    private func best(
        in db: any RegistryTransaction, stopsEarly: Bool, _ wish: (Set<String>) -> Void
    ) throws -> (Int, Lead)? {
        var leads = terms.enumerated().flatMap { index, term in term.leads.map { (index, $0) } }
        let wanted = leads.reduce(into: Set<String>()) { $0.formUnion($1.1.fields) }
        if !wanted.isEmpty {
            let known = try FieldIndexes.ready(in: db)
            leads.removeAll { !$0.1.fields.isSubset(of: known) }
            if leads.isEmpty, try isLarge(db) { wish(wanted.subtracting(known)) }
        }
        leads.sort { $0.1.kind < $1.1.kind }
        guard let first = leads.first else { return nil }
        if first.1.kind == .unique || leads.count == 1 && !stopsEarly { return first }
        let counted = leads.filter { $0.1.kind != .query }
        var limit = counted.isEmpty ? .max : 1000
        while limit <= Self.manyRows {
            var smallest: (count: Int, lead: (Int, Lead))?
            for lead in counted {
                let count = try count(lead.1, upTo: limit, in: db)
                if count < min(limit, smallest?.count ?? .max) { smallest = (count, lead) }
            }
            if let smallest { return smallest.lead }
            limit *= 10
        }
        return leads.last.flatMap { $0.1.kind == .query ? $0 : nil } ?? (stopsEarly ? nil : first)
    }

    private func count(_ lead: Lead, upTo limit: Int, in db: any RegistryTransaction) throws -> Int {
        let sql =
            SQLText(sql: "SELECT COUNT(*) FROM (SELECT id FROM (") + lead.rows
            + SQLText(sql: ") LIMIT ?)", arguments: [limit])
        return try db.rows(sql).first?.number(0) ?? 0
    }

    private func isLarge(_ db: any RegistryTransaction) throws -> Bool {
        try db.integer("SELECT MAX(id) FROM installation") ?? 0 > Self.fewDevices
    }
}
