internal import Base

extension RegistryTransaction {
    /// Surveys the channels and profiles of the installations.
    ///
    /// Subscribers of `channels` and devices with one of `profiles` are counted over all installations.
    func survey(channels: [String], profiles: [String]) throws -> DeviceSurvey {
        let newest = """
            (SELECT \(dialect.subscriber), deviceProfile FROM installation
             ORDER BY updatedAt DESC LIMIT \(DeviceSurvey.mostSurveyed)) AS t
            """
        func count(_ sql: String, _ value: any SQLBindable...) throws -> Int {
            try rows("SELECT COUNT(*) FROM \(sql)", value).first?.number(0) ?? 0
        }
        func counts(_ sql: String) throws -> [String: Int] {
            try rows(sql, []).reduce(into: [:]) { $0[$1.text(0) ?? ""] = $1.number(1) }
        }
        var survey = DeviceSurvey(
            size: try count(newest), channels: try counts(dialect.subscriptions(of: newest)),
            profiles: try counts(
                "SELECT deviceProfile, COUNT(*) FROM \(newest) WHERE deviceProfile <> '' GROUP BY deviceProfile"))
        for channel in channels {
            switch dialect {
            case .sqlite: survey.subscribers[channel] = try count("channel WHERE name = ?", channel)
            case .postgres:
                survey.subscribers[channel] = try count(
                    "installation WHERE channels @> ?::jsonb", JSONValue.array([.string(channel)]).canonicalText)
            }
        }
        for profile in profiles {
            survey.bearers[profile] = try count("installation WHERE deviceProfile = ?", profile)
        }
        return survey
    }
}

extension RegistryTransaction {
    /// Returns the fields of the newest installations, and the existing classes.
    func names() throws -> RegistryNames {
        let newest =
            "(SELECT document FROM installation ORDER BY updatedAt DESC LIMIT \(DeviceSurvey.mostSurveyed)) AS t"
        let (keys, classes) =
            switch dialect {
            case .sqlite: ("key FROM \(newest), json_each(t.document)", "name FROM class")
            case .postgres: ("k FROM \(newest), jsonb_object_keys(t.document) AS k", "class FROM object")
            }
        func texts(_ sql: String) throws -> Set<String> {
            Set(try rows("SELECT DISTINCT " + sql, []).compactMap { $0.text(0) })
        }
        // The classes of devices and users exist even without objects.
        return RegistryNames(fields: try texts(keys), classes: try texts(classes).union(["_Installation", "_User"]))
    }
}

extension Dialect {
    /// The column of an installation that refers to its channels.
    fileprivate var subscriber: String {
        switch self {
        case .sqlite: "id"
        case .postgres: "channels"
        }
    }

    /// A query that counts the subscribers of each channel among some installations.
    fileprivate func subscriptions(of installations: String) -> String {
        switch self {
        case .sqlite:
            "SELECT name, COUNT(*) FROM channel WHERE installation IN (SELECT id FROM \(installations)) GROUP BY name"
        case .postgres:
            """
            SELECT name, count(*) FROM (
              SELECT DISTINCT n, c.value #>> '{}' AS name
              FROM (SELECT channels, row_number() OVER () AS n FROM \(installations)) AS d, jsonb_array_elements(
                CASE jsonb_typeof(d.channels) WHEN 'array' THEN d.channels ELSE '[]' END) AS c
              WHERE jsonb_typeof(c.value) = 'string') AS names GROUP BY name
            """
        }
    }
}
