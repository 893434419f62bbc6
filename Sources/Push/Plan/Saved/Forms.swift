package import Base

// The JSON forms of the model's values.

extension JSONForm<Instant> {
    /// A time in UTC, by RFC 3339.
    package static var time: JSONForm<Instant> {
        text(schema: { SchemaPart.time($0, orNull: $1) }, write: { $0.exactText }, read: { Instant($0) })
    }
}

extension JSONForm<OffsetInstant> {
    /// A time with its offset as written, by RFC 3339.
    package static var time: JSONForm<OffsetInstant> {
        text(schema: { SchemaPart.time($0, orNull: $1) }, write: { $0.exactText }, read: { OffsetInstant($0) })
    }
}

extension JSONForm<Digest> {
    /// A SHA-256 hash.
    package static var digest: JSONForm<Digest> {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^sha256:[0-9a-f]{64}$") }, write: { $0.description },
            read: { Digest($0) })
    }
}

extension JSONForm<DeliveryID> {
    /// The id of a delivery.
    package static var delivery: JSONForm<DeliveryID> {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^[0-9A-Za-z]{1,16}$") }, write: { $0.text },
            read: { DeliveryID($0) })
    }
}

extension JSONForm<Duration> {
    /// A duration such as `1h`.
    package static var duration: JSONForm<Duration> {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^[0-9]+[smhdw]$") },
            write: { $0.configurationText }, read: { Duration(configurationText: $0) })
    }
}

extension JSONForm<Occurrence> {
    static var occurrence: JSONForm<Occurrence> {
        text(
            schema: { SchemaPart.text($0, orNull: $1, pattern: "^(once|[0-9]{4}-[0-9]{2}-[0-9]{2})$") },
            write: { $0.text }, read: { Occurrence($0) })
    }
}
