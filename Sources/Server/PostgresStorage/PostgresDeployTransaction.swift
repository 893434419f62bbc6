internal import DeliveryJournal
internal import PostgresClient
internal import PushModel
internal import RegistryModel

/// A transaction with a registry in PostgreSQL.
struct PostgresDeployTransaction: DeployTransaction {
    let session: PostgresSession
    let now: Instant

    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow] {
        try session.rows(sql.numbered, values.map(\.sqlValue.postgresValue))
    }

    @discardableResult
    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int {
        try session.execute(sql.numbered, values.map(\.sqlValue.postgresValue))
    }

    func add(_ rows: [[any SQLBindable]], to table: String) throws {
        guard !rows.isEmpty else { return }
        try session.copy(rows.map { $0.map(\.sqlValue.postgresValue) }, into: table)
    }

    func clause(_ hold: RowHold) -> String {
        switch hold {
        case .free: ""
        case .shared: " FOR SHARE"
        case .changing: " FOR UPDATE"
        case .passing: " FOR UPDATE SKIP LOCKED"
        }
    }

    var dialect: Dialect { .postgres }
}

extension PostgresRow: SQLRow {}
