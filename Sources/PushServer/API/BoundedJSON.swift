internal import JSONValue

/// Reads JSON of clients, which may nest only so deep: readers and SQLite have limits of their own, and what was taken
/// must be readable when it is answered within something else.
///
/// The front end looks at whole bodies; here it is the texts within them.
enum BoundedJSON {
    /// The value of a text; `nil` when it is no JSON or nests too deep.
    static func value(_ bytes: some Collection<UInt8>) -> JSONValue? {
        JSONShape.isWithin(depth: ServerLimits.jsonDepth, bytes) ? try? JSONValue(parsing: bytes) : nil
    }
}
