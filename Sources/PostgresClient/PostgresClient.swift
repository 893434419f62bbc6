internal import CPostgres

/// What is known of the installed libpq.
package enum PostgresClient {
    /// Its version, such as 150018.
    package static var libraryVersion: Int32 { PQlibVersion() }
}
