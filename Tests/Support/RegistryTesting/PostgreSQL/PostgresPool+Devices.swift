package import DeviceRegistry

extension PostgresPool {
    /// Adds iOS devices with a profile and channels, as a team's own SQL does.
    package func add(tokens: [String], profile: String = "", channels: [String] = []) async throws {
        try await use { session in
            _ = try session.execute(
                """
                INSERT INTO installation (token, document) SELECT lower(token), jsonb_build_object('deviceType', 'ios',
                  'deviceToken', lower(token), 'deviceProfile', $2::text, 'channels', to_jsonb($3::text[]), 'valid', true)
                FROM unnest($1::text[]) AS devices(token)
                """, [.texts(tokens), .text(profile), .texts(channels)])
        }
    }

    /// Adds Android devices that a vendor reaches, as a team's own SQL does; their `objectId`s are `name` and a number.
    package func add(
        registrations: [String], of vendor: String = "fcm", named name: String = "android", channels: [String] = []
    ) async throws {
        try await use { session in
            _ = try session.execute(
                """
                INSERT INTO installation (token, document) SELECT '-' || $3::text || n, jsonb_build_object(
                  'objectId', $3::text || n, 'deviceType', 'android', 'installationId', $3::text || n, 'vendor', $4::text,
                  'registrationId', registration, 'channels', to_jsonb($2::text[]), 'valid', true)
                FROM unnest($1::text[]) WITH ORDINALITY AS devices(registration, n)
                """, [.texts(registrations), .texts(channels), .text(name), .text(vendor)])
        }
    }
}
