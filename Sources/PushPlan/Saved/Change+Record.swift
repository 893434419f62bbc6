internal import JSONValue
package import PushModel
package import Records

extension Change {
    /// One line of a plan file.
    package static let record = Record<Change>(
        Member("kind", .choice(ResourceKind.self), "Which kind of resource.") { $0.kind },
        Member("name", .text, "Its name.") { $0.name },
        Member("action", .choice(Action.self), "What happens.") { $0.action },
        Member("reason", .text, "Why, in one clause.") { $0.reason },
        Member("file", orNull: .text, "The file that declares it; null: none any more.") { $0.file },
        Member("line", orNull: .integer(minimum: 1), "The line of its document.") { $0.line },
        Member("delivery", orNull: .record(PlannedDelivery.record, definedAs: "delivery")) { $0.delivery },
        Member("audience", orNull: .record(PlannedAudience.record, definedAs: "audience")) { $0.audience },
        Member("payload", orNull: .record(PlannedPayload.record, definedAs: "payload")) { $0.payload },
        Member("before", orNull: .object, "What the remote has; null: nothing.") { $0.before },
        Member("after", orNull: .object, "What it will have; null: nothing.") { $0.after },
        Member("request", orNull: .record(PushRequest.record, definedAs: "request")) { $0.request },
        Member("preview", orNull: .text, "The text that a device shows first.") { $0.preview },
        Member(
            "blocked", .list(of: .record(Block.record, definedAs: "block")), "The rules that hold it back."
        ) { $0.blocked },
        // Far more than there are platforms, and few enough to draw.
        Member(
            optional: "looks",
            .list(of: .record(NotificationLook.record, definedAs: "look"), minimum: 1, maximum: 64),
            "What devices show, by platform.", unless: []
        ) { $0.looks },
        make: Change.init)
}

extension PlannedDelivery {
    package static let record = Record<PlannedDelivery>(
        Member("id", .delivery, "Its id.") { $0.id },
        Member("generation", .integer(), "How many pushes of it were begun before.") { $0.generation },
        Member("revision", .integer(minimum: 1), "The campaign's revision.") { $0.revision },
        Member("occurrence", .occurrence, "Which occurrence.") { $0.occurrence },
        Member("at", orNull: .time, "When it is sent; null: as soon as it is applied.") { $0.at },
        Member("expiresAt", orNull: .time, "When it stops being worth delivering.") { $0.expiresAt },
        Member("expires", orNull: .text, "The expiration as written.") { $0.expires },
        make: PlannedDelivery.init)
}

extension PlannedPayload {
    package static let record = Record<PlannedPayload>(
        Member("bytes", .integer(), "Bytes that count against the limit.") { $0.bytes },
        Member("limit", .integer(), "The service's limit.") { $0.limit },
        make: PlannedPayload.init)
}

extension PushRequest {
    package static let record = Record<PushRequest>(
        Member("endpoint", .choice(Endpoint.self), "Which call.") { $0.endpoint },
        Member("body", .object, "The whole body.") { $0.body },
        make: PushRequest.init)
}

extension Block {
    package static let record = Record<Block>(
        Member("rule", .choice(Rule.self), "The rule.") { $0.rule },
        Member("message", .text, "What broke it.") { $0.message },
        make: Block.init)
}

extension LastApplied {
    package static let record = Record<LastApplied>(
        Member("commit", orNull: .text, "The commit.") { $0.commit },
        Member("committedAt", orNull: .time, "When it was committed.") { $0.committedAt },
        Member("at", .time, "When it was applied.") { $0.at },
        Member("run", orNull: .text, "The run that applied it.") { $0.run },
        make: LastApplied.init)
}
