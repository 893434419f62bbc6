internal import Base
internal import Push

/// A query inside a condition, whose result LeanCloud truncates at 1,000.
struct InnerQuery: Hashable {
    /// The class that is queried.
    let className: String
    /// The condition on it.
    let condition: JSONValue

    /// All distinct `$inQuery` and `$notInQuery` of a condition, including those of the inner queries themselves.
    static func all(in condition: JSONValue) -> [InnerQuery] {
        var found: [InnerQuery] = []
        collect(condition, into: &found)
        var seen = Set<InnerQuery>()
        return found.filter { seen.insert($0).inserted }
    }

    /// The path of the class's objects.
    ///
    /// - Throws: `RemoteError` with `refused` when the class name is invalid.
    var path: String {
        get throws(RemoteError) {
            guard Self.isName(className) else {
                throw RemoteError(
                    .refused, "an inner query names a class with characters other than letters, digits and '_'")
            }
            return "/classes/" + className
        }
    }

    /// True when a text is a valid class name, and so cannot lead to another path.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && text.utf8.allSatisfy(isNamePart)
    }

    /// The short form, without `where` and `className`, queries `_User`.
    private init(_ value: JSONValue) {
        if value["className"] == nil, value["where"] == nil {
            className = "_User"
            condition = value
        } else {
            className = value["className"]?.string ?? "_User"
            condition = value["where"] ?? [:]
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func collect(_ value: JSONValue, into found: inout [InnerQuery]) {
        switch value {
        case .object(let members):
            // Sorted, so that the same condition gives the same queries in the same order.
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                if key == "$inQuery" || key == "$notInQuery" {
                    let query = InnerQuery(member)
                    found.append(query)
                    collect(query.condition, into: &found)
                } else {
                    collect(member, into: &found)
                }
            }
        case .array(let elements): for element in elements { collect(element, into: &found) }
        case .null, .bool, .integer, .number, .string: break
        }
    }
}
