/// Where the objects of a class stand, and under which name the SQL of a query calls that table.
struct ObjectTable {
    /// Whose tables they are.
    var dialect = Dialect.sqlite
    /// The class.
    let className: ClassName
    /// The alias in the query: `t0` for the outer one, `t1` … for inner ones.
    let alias: String

    /// The table.
    var name: String { className.isInstallation ? "installation" : "object" }

    /// `installation AS t0`.
    var source: String { "\(name) AS \(alias)" }

    /// The column of a key that has one and holds text.
    func textColumn(of path: FieldPath) -> String? {
        guard let key = path.simpleKey else { return nil }
        if key == "objectId" { return objectIDColumn }
        return className.isInstallation && Schema.textColumns.contains(key) ? "\(alias).\(key)" : nil
    }

    /// The column of the object's id.
    private var objectIDColumn: String { "\(alias).objectId" }

    /// Keeps SQLite from leading with the index over a column that is tested: ``QueryPlan`` chooses, for devices.
    var shield: String { className.isInstallation && dialect == .sqlite ? "+" : "" }

    /// The column of a key that holds milliseconds.
    func timeColumn(of path: FieldPath) -> String? {
        guard let key = path.simpleKey, key == "createdAt" || key == "updatedAt" else { return nil }
        return "\(alias).\(key)"
    }

    /// The value of a key, as SQL.
    func operand(_ path: FieldPath) -> Operand { dialect.operand("\(alias).document", path) }

    /// SQLite's rows of `json_each`: the elements of a document's key that holds a list, else its one value.
    static func values(of document: String, at path: String) -> String {
        """
        json_each(CASE json_type(\(document), \(path)) WHEN 'array' THEN json_extract(\(document), \(path)) \
        WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(\(document), \(path))) END)
        """
    }

    /// The elements of a key that holds a list, called `element` in the SQL.
    func elements(of path: FieldPath, as element: String) -> String {
        "\(dialect.elements(of: "\(alias).document", at: path)) AS \(element)"
    }
}
