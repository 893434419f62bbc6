/// A registry whose objects are copied, in pages.
package protocol ObjectSource: Sendable {
    /// Returns objects of a class, sorted by row.
    func page(of className: ClassName, after row: Int64, limit: Int) async throws(RegistryError) -> [StoredObject]

    /// Returns every class except that of devices.
    func classesToCopy() async throws(RegistryError) -> [ClassName]

    /// Returns relations, sorted by their columns.
    func relations(after last: RelationRow?, limit: Int) async throws(RegistryError) -> [RelationRow]
}

/// One relation: its owner's class and id, its key, and its target's class and id.
package struct RelationRow: Sendable {
    /// The five, in this order.
    package let columns: [String]

    package init(columns: [String]) { self.columns = columns }
}
