/// The time a service keeps trying.
package enum Expiration: Hashable, Sendable {
    /// This long after the delivery; zero: one attempt, not stored.
    case after(Duration)
    /// Until this time.
    case at(OffsetInstant)
    /// As long as the service itself keeps trying.
    case never

    /// The time a push that starts at this instant expires; nil when there is none, or when the push gets a single
    /// attempt, whenever that comes.
    package func end(startingAt start: Instant) -> Instant? {
        switch self {
        // One attempt, not an expiration that has passed.
        case .after(let duration): duration > .zero ? start + duration : nil
        case .at(let end): end.instant
        case .never: nil
        }
    }

    /// Writes the expiration for hashing.
    package func hash(to writer: inout ContentWriter) {
        switch self {
        case .after(let length): writer.write("expiresAfter", Int(length.wholeSeconds))
        case .at(let end): writer.write("expiresAt", end.instant.text)
        case .never: writer.write("expires", "never")
        }
    }

    /// For people: `after 7d`, `at 2026-12-01 20:00 +08:00`, `never`.
    package var reason: Reason {
        switch self {
        case .after(let duration): Reason(.expiresAfter, .duration(duration))
        case .at(let end): Reason(.expiresAt, .time(end))
        case .never: Reason(.neverExpires)
        }
    }
}

extension FieldForm<Expiration> {
    /// `{after: 7d}`, `{at: INSTANT}` or `never`.
    static let expiration = FieldForm(
        type: .either([.map(ExpirationEnd.fields.description), .constant("never")]),
        read: { value in
            guard let values = value.fields else { return .never }
            let end = ExpirationEnd.fields.partialRecord(of: values)
            return end.after.map(Expiration.after) ?? end.at.map(Expiration.at)
        },
        write: { expiration in
            switch expiration {
            case .after(let length): .fields(ExpirationEnd.fields.values(of: ExpirationEnd(after: length)))
            case .at(let end): .fields(ExpirationEnd.fields.values(of: ExpirationEnd(at: end)))
            case .never: .text("never")
            }
        },
        hash: { expiration, _, writer in expiration.hash(to: &writer) })
}

/// The fields of an expiration with an end.
private struct ExpirationEnd: Sendable {
    var after: Duration?
    var at: OffsetInstant?

    static let fields = FieldTable(
        "Campaign.expiration", "The time that the service keeps trying; exactly one of its fields",
        "有效期，即服务尝试投递多久；只能写其中一个字段", blank: ExpirationEnd(),
        rules: [.exactlyOne(of: ["after", "at"])],
        [
            FieldRow(
                "after", .duration, "This long after the delivery; 0s: one attempt, not stored",
                "从发送算起多久；0s 表示只尝试一次，不留存", { $0.after }, { $0.after = $1 }),
            FieldRow("at", .instant, "A fixed time", "到这一时刻为止", { $0.at }, { $0.at = $1 }),
        ])
}
