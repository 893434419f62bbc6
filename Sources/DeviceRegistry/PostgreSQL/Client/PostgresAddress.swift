internal import CPostgres

/// The server and user to connect to, from a libpq connection string: a URI or `key=value` pairs.
///
/// `PGHOST`, `PGPASSWORD`, a service file and libpq's other sources fill in what the string omits. Over the network the
/// session must be encrypted: without an `sslmode` it is `require`; `verify-full` also checks the server's name;
/// `prefer` and `allow`, which silently fall back to plain text, are refused; `disable` must be explicit.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    private let text: String
    /// True when the session must be encrypted although the string does not say so.
    let requiresEncryption: Bool
    private let password: String?
    /// True if the string itself holds a password.
    package let holdsPassword: Bool
    /// The servers the string may lead to, each as `host:port`; local sockets are omitted.
    package let servers: [String]

    /// A fixed text that reveals nothing of the connection string.
    package var description: String { "a PostgreSQL database" }

    /// Parses a connection string.
    ///
    /// - Throws: ``PostgresError`` of kind `address`.
    package init(_ text: String) throws(PostgresError) {
        guard !text.utf8.contains(0), let options = unsafe Self.options(PQconninfoParse(text, nil)) else {
            throw PostgresError(
                .address, "The connection string is neither a URI (postgresql://…) nor a list of key=value pairs.")
        }
        // libpq takes the first @ for the end of the password, and the rest for a host, which it names in messages.
        guard !Self.hasStrayAt(text) else {
            throw PostgresError(
                .address, "The address has a second @: within a password, a user or a database write it as %40.")
        }
        // Only the service file says where a service leads, and nobody reviewed that file; PGSERVICE is among the
        // defaults.
        guard options["service"] == nil else {
            throw PostgresError(
                .address,
                "The connection string names a service, which hides where it leads: write its host and port instead."
            )
        }
        let defaults = unsafe Self.options(PQconndefaults()) ?? [:]
        let host = options["hostaddr"] ?? options["host"] ?? defaults["hostaddr"] ?? defaults["host"] ?? ""
        let hosts = host.split(separator: ",", omittingEmptySubsequences: false)
        let isLocal = hosts.allSatisfy(Self.isLocal)
        let given = options["sslmode"]
        // libpq's own default does not count as set; a value from the environment does.
        let mode = given ?? defaults["sslmode"].flatMap { $0 == "prefer" ? nil : $0 }
        if !isLocal, mode == "prefer" || mode == "allow" {
            throw PostgresError(
                .address,
                "sslmode=\(mode ?? "") may fall back to no encryption: use verify-full or require, or disable to go without."
            )
        }
        let ports = (options["port"] ?? defaults["port"] ?? "5432").split(separator: ",")
        // With both given, the name is only compared with the certificate: hostaddr decides where to connect.
        servers = hosts.enumerated().filter {
            !$0.element.isEmpty && !$0.element.hasPrefix("/") && !$0.element.hasPrefix("@")
        }
        .map { "\($0.element.lowercased()):\($0.offset < ports.count ? ports[$0.offset] : ports.last ?? "5432")" }
        self.text = text
        requiresEncryption = !isLocal && mode == nil
        holdsPassword = options["password"] != nil
        password = options["password"] ?? defaults["password"]
    }

    /// The keywords and values of a connection; later ones override earlier ones.
    func parameters(connectTimeout: Int) -> [(String, String)] {
        var parameters = [
            ("connect_timeout", String(connectTimeout)), ("tcp_user_timeout", "30000"), ("keepalives_idle", "30"),
            ("keepalives_interval", "10"), ("keepalives_count", "3"), ("fallback_application_name", "bugle"),
        ]
        if requiresEncryption { parameters.append(("sslmode", "require")) }
        parameters.append(("dbname", text))
        parameters.append(("client_encoding", "UTF8"))
        return parameters
    }

    /// A libpq message on one line, with the password removed in case it appears there.
    func redacted(_ message: String) -> String {
        var message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        if message.contains(text) { message = "the connection failed" }
        if let password, !password.isEmpty { message = message.split(separator: password).joined(separator: "…") }
        return message
    }

    /// True if a URI has an @ that does not end its user and password.
    private static func hasStrayAt(_ text: String) -> Bool {
        guard let scheme = ["postgres://", "postgresql://"].first(where: text.hasPrefix) else { return false }
        let place = text.dropFirst(scheme.count).prefix { $0 != "?" }
        return place.count { $0 == "@" } > (place.prefix { $0 != "/" }.contains("@") ? 1 : 0)
    }

    /// True if a host is this machine.
    static func isLocal(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
            || ["localhost", "127.0.0.1", "::1"].contains(String(host))
    }

    /// Takes ownership of a libpq list of options; nil when there is none.
    static func options(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
        guard let list = unsafe list else { return nil }
        defer { unsafe PQconninfoFree(list) }
        var options: [String: String] = [:]
        var entry = unsafe list
        while let key = unsafe entry.pointee.keyword {
            if let value = unsafe entry.pointee.val { unsafe options[String(cString: key)] = String(cString: value) }
            unsafe entry += 1
        }
        return options
    }
}
