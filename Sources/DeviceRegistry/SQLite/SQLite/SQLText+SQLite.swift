internal import Foundation
internal import GRDB
internal import Base

extension SQLText {
    /// The SQL for SQLite.
    var literal: SQL { SQL(sql: sql, arguments: StatementArguments(values.map(\.databaseValue))) }
}

extension SQLValue {
    /// The value for SQLite; a list is one JSON text for `json_each`.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .text(let text): text.databaseValue
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        case .texts(let texts): SQLFunctions.jsonList(texts).databaseValue
        case .integers(let numbers): JSONValue.array(numbers.map { .integer($0) }).canonicalText.databaseValue
        }
    }
}
