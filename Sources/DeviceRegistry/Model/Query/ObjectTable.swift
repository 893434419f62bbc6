/// The table with the objects of a class, and its alias in a query.
package struct ObjectTable {
    /// The dialect of the database.
    let dialect: Dialect
    /// The class.
    let className: ClassName
    /// The alias in the query: `t0` for the outer one, `t1` … for subqueries.
    let alias: String

    /// Creates a class's table in a query.
    package init(dialect: Dialect = .sqlite, className: ClassName, alias: String) {
        self.dialect = dialect
        self.className = className
        self.alias = alias
    }

    /// The fields of a device that have a text column.
    static let textColumns: Set<String> = ["deviceType", "deviceToken", "installationId", "deviceProfile"]

    /// The name of the table.
    package var name: String { className.isInstallation ? "installation" : "object" }

    /// `installation AS t0`.
    package var source: String { "\(name) AS \(alias)" }

    /// Returns the column of a key to sort by, or else the value in the document.
    package func column(_ key: String) throws(RegistryError) -> String {
        let path = try FieldPath(key)
        return timeColumn(of: path) ?? textColumn(of: path) ?? operand(path).value
    }

    /// Returns the expressions that order objects by a key: numbers before strings, by their bytes.
    package func order(_ key: String) throws(RegistryError) -> [String] {
        try scanOrder(key).terms
    }

    /// Returns the order of objects by a key, in which a scan continues.
    package func scanOrder(_ key: String) throws(RegistryError) -> ScanOrder {
        let (column, path) = (try column(key), try FieldPath(key))
        let isColumn = dialect == .sqlite || timeColumn(of: path) != nil || textColumn(of: path) != nil
        return ScanOrder(column, alias: alias, isColumn: isColumn)
    }

    /// SQL that is true for the object with a text in a column, `objectId` or an identifier of a device's; in
    /// PostgreSQL a device's token is found in any spelling.
    package func identity(_ key: String, _ value: String) -> SQLText {
        guard dialect == .postgres, className.isInstallation, key == "deviceToken" else {
            return SQLText(sql: "\(alias).\(key) = ?", arguments: [value])
        }
        return SQLText(sql: "\(alias).token = ?", arguments: [DeviceKey.key(of: value)])
    }

    /// The name under which a change holds an identifier of an object.
    package func name(of key: String, _ value: String) -> String {
        "\(className.name) \(key) \(key == "deviceToken" ? DeviceKey.key(of: value) : value)"
    }

    /// Returns the text column of a key; nil when it has none.
    func textColumn(of path: FieldPath) -> String? {
        guard let key = path.simpleKey else { return nil }
        if key == "objectId" { return objectIDColumn }
        return className.isInstallation && Self.textColumns.contains(key) ? "\(alias).\(key)" : nil
    }

    /// The column of the object's id.
    private var objectIDColumn: String { "\(alias).objectId" }

    /// The prefix that keeps SQLite from driving the query by an index over a tested column: ``QueryPlan`` chooses, for
    /// devices.
    var shield: String { className.isInstallation && dialect == .sqlite ? "+" : "" }

    /// Returns the column of a key that holds milliseconds.
    func timeColumn(of path: FieldPath) -> String? {
        guard let key = path.simpleKey, key == "createdAt" || key == "updatedAt" else { return nil }
        return "\(alias).\(key)"
    }

    /// The value of a key, as SQL.
    func operand(_ path: FieldPath) -> Operand { dialect.operand("\(alias).document", path) }

    /// SQLite's rows of `json_each`: the elements of a document's key that holds a list, or else its single value.
    package static func values(of document: String, at path: String) -> String {
        """
        json_each(CASE json_type(\(document), \(path)) WHEN 'array' THEN json_extract(\(document), \(path)) \
        WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(\(document), \(path))) END)
        """
    }

    /// The elements of a key that holds a list, under the alias `element`.
    func elements(of path: FieldPath, as element: String) -> String {
        "\(dialect.elements(of: "\(alias).document", at: path)) AS \(element)"
    }
}
