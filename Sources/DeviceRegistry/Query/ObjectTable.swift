/// Where the objects of a class stand, and under which name the SQL of a query calls that table.
struct ObjectTable {
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
    var shield: String { className.isInstallation ? "+" : "" }

    /// The column of a key that holds milliseconds.
    func timeColumn(of path: FieldPath) -> String? {
        guard let key = path.simpleKey, key == "createdAt" || key == "updatedAt" else { return nil }
        return "\(alias).\(key)"
    }

    /// The value of a key, as SQL.
    func operand(_ path: FieldPath) -> Operand {
        Operand(
            value: "json_extract(\(alias).document, \(path.sqlPath))",
            type: "json_type(\(alias).document, \(path.sqlPath))"
        ) { member in "json_extract(\(alias).document, \(path.sqlPath(appending: [member])))" }
    }

    /// The elements of a document's key that holds a list, else its one value, as rows of `json_each`.
    static func values(of document: String, at path: String) -> String {
        """
        json_each(CASE json_type(\(document), \(path)) WHEN 'array' THEN json_extract(\(document), \(path)) \
        WHEN 'true' THEN '[true]' WHEN 'false' THEN '[false]' ELSE json_array(json_extract(\(document), \(path))) END)
        """
    }

    /// The elements of a key that holds a list, called `element` in the SQL.
    func elements(of path: FieldPath, as element: String) -> String {
        "json_each(\(alias).document, \(path.sqlPath)) AS \(element)"
    }
}

/// A JSON value within a query: how SQL names it, its type, and its members.
struct Operand {
    /// The value: text, a number, or the JSON text of a list or object.
    let value: String
    /// SQLite's word for its type: `text`, `integer`, `real`, `true`, `false`, `null`, `array`, `object`.
    let type: String
    private let memberExpression: (String) -> String

    init(value: String, type: String, member: @escaping (String) -> String) {
        self.value = value
        self.type = type
        memberExpression = member
    }

    /// The value as a text that differs where types do; SQL `NULL` for `null`.
    var typedText: String {
        """
        CASE \(type) WHEN 'text' THEN json_quote(\(value)) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' \
        WHEN 'null' THEN NULL ELSE CAST(\(value) AS TEXT) END
        """
    }

    /// A member of an object; SQL `NULL` when this is none.
    func member(_ name: String) -> String { memberExpression(name) }

    /// One row of `json_each`.
    static func element(_ alias: String) -> Operand {
        Operand(value: "\(alias).value", type: "\(alias).type") { member in
            // The value of an element that is no object is no JSON text, and reading it as such would fail.
            "CASE \(alias).type WHEN 'object' THEN json_extract(\(alias).value, '$.\(member)') END"
        }
    }
}
