package import Base

extension Change {
    /// The record of a change in a plan file.
    package static let record = Record<Change>(
        Change(kind: .campaign, name: "", action: .none, reason: .verbatim("")),
        [
            Field("kind", .choice(ResourceKind.self), "The kind of the resource.", { $0.kind }, { $0.kind = $1 }),
            Field("name", .text, "Its name.", { $0.name }, { $0.name = $1 }),
            Field("action", .choice(Action.self), "The action.", { $0.action }, { $0.action = $1 }),
            .reason("reason", "The reason, in one clause.", { $0.reason }, { $0.reason = $1 }),
            Field(
                "file", orNull: .text, "The file that declares it; null: no longer declared.", { $0.file },
                { $0.file = $1 }),
            Field("line", orNull: .integer(minimum: 1), "The line of its document.", { $0.line }, { $0.line = $1 }),
            Field(
                "delivery", orNull: .record(PlannedDelivery.record, definedAs: "delivery"), "", { $0.delivery },
                { $0.delivery = $1 }),
            Field(
                "audience", orNull: .record(PlannedAudience.record, definedAs: "audience"), "", { $0.audience },
                { $0.audience = $1 }),
            Field(
                "payload", orNull: .record(PlannedPayload.record, definedAs: "payload"), "", { $0.payload },
                { $0.payload = $1 }),
            Field("before", orNull: .object, "The remote's state; null: nothing.", { $0.before }, { $0.before = $1 }),
            Field(
                "after", orNull: .object, "The state after the change; null: nothing.", { $0.after }, { $0.after = $1 }),
            Field(
                "request", orNull: .record(PushRequest.record, definedAs: "request"), "", { $0.request },
                { $0.request = $1 }),
            Field("preview", orNull: .text, "The text that a device shows first.", { $0.preview }, { $0.preview = $1 }),
            Field(
                "blocked", .list(of: .record(Block.record, definedAs: "block")), "The rules that block it.",
                { $0.blocked }, { $0.blocked = $1 }),
            Field(
                optional: "requires",
                .list(of: .record(ApprovalRequirement.record, definedAs: "requirement"), minimum: 1),
                "The approvals that it needs; 'apply' holds it back without them.", unless: [], { $0.requires },
                { $0.requires = $1 }),
            Field(
                optional: "occurrences", .record(PlannedOccurrences.record, definedAs: "occurrences"),
                "What is ahead of a recurring campaign.", { $0.occurrences }, { $0.occurrences = $1 }),
            // Far more than the number of platforms, and few enough to draw.
            Field(
                optional: "looks",
                .list(of: .record(NotificationLook.record, definedAs: "look"), minimum: 1, maximum: 64),
                "The appearance on devices, by platform.", unless: [], { $0.looks }, { $0.looks = $1 }),
        ])
}

extension PlannedDelivery {
    package static let record = Record<PlannedDelivery>(
        PlannedDelivery(
            id: DeliveryID(workspace: "", campaign: "", revision: 0), generation: 0, revision: 0, occurrence: .once,
            at: nil, expiresAt: nil, expires: nil),
        [
            Field("id", .delivery, "Its id.", { $0.id }, { $0.id = $1 }),
            Field(
                "generation", .integer(), "The number of its pushes that were begun before.", { $0.generation },
                { $0.generation = $1 }),
            Field("revision", .integer(minimum: 1), "The campaign's revision.", { $0.revision }, { $0.revision = $1 }),
            Field("occurrence", .occurrence, "The occurrence.", { $0.occurrence }, { $0.occurrence = $1 }),
            Field(
                "at", orNull: .time, "The time of sending; null: as soon as it is applied.", { $0.at }, { $0.at = $1 }),
            Field(
                "expiresAt", orNull: .time, "The time of expiration.", { $0.expiresAt },
                { $0.expiresAt = $1 }),
            .reason("expires", orNull: "The expiration as written.", { $0.expires }, { $0.expires = $1 }),
            Field(
                optional: "divisions", .list(of: .record(WrittenDivision.record), minimum: 1),
                "The rules by which it is divided.",
                unless: [], { WrittenDivision.list($0.divisions) }, { $0.divisions = WrittenDivision.divisions($1) }),
        ])
}

/// A rule by which a delivery is divided, as a plan file has it.
private struct WrittenDivision: Hashable, Sendable {
    var by: PlannedDelivery.Division
    var rule: Reason

    static func list(_ divisions: [PlannedDelivery.Division: Reason]) -> [WrittenDivision] {
        PlannedDelivery.Division.allCases.compactMap { by in divisions[by].map { WrittenDivision(by: by, rule: $0) } }
    }

    static func divisions(_ list: [WrittenDivision]) -> [PlannedDelivery.Division: Reason] {
        Dictionary(list.map { ($0.by, $0.rule) }) { first, _ in first }
    }

    static let record = Record<WrittenDivision>(
        WrittenDivision(by: .rollout, rule: .verbatim("")),
        [
            Field("by", .choice(PlannedDelivery.Division.self), "What divides it.", { $0.by }, { $0.by = $1 }),
            .reason("rule", "The rule, in words.", { $0.rule }, { $0.rule = $1 }),
        ])
}

extension PlannedPayload {
    package static let record = Record<PlannedPayload>(
        PlannedPayload(bytes: 0, limit: 0),
        [
            Field("bytes", .integer(), "Bytes that count against the limit.", { $0.bytes }, { $0.bytes = $1 }),
            Field("limit", .integer(), "The service's limit.", { $0.limit }, { $0.limit = $1 }),
        ])
}

extension PushRequest {
    package static let record = Record<PushRequest>(
        PushRequest(endpoint: .push, body: .null),
        [
            Field("endpoint", .choice(Endpoint.self), "The endpoint.", { $0.endpoint }, { $0.endpoint = $1 }),
            Field("body", .object, "The whole body.", { $0.body }, { $0.body = $1 }),
        ])
}

extension Block {
    package static let record = Record<Block>(
        Block(.missed, .verbatim("")),
        [
            Field("rule", .choice(Rule.self), "The rule.", { $0.rule }, { $0.rule = $1 }),
            .reason("message", "The reason, in words.", { $0.message }, { $0.message = $1 }),
        ])
}

extension LastApplied {
    package static let record = Record<LastApplied>(
        LastApplied(commit: nil, committedAt: nil, at: .distantPast, run: nil),
        [
            Field("commit", orNull: .text, "The commit.", { $0.commit }, { $0.commit = $1 }),
            Field("committedAt", orNull: .time, "The time of the commit.", { $0.committedAt }, { $0.committedAt = $1 }),
            Field("at", .time, "The time of the apply.", { $0.at }, { $0.at = $1 }),
            Field("run", orNull: .text, "The run that applied it.", { $0.run }, { $0.run = $1 }),
        ])
}
