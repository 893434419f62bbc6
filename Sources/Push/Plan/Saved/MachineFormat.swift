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

// MARK: - Record

/// The records of diagnostics, in every machine-readable format.
package enum DiagnosticRecord {
    /// One of the configuration.
    package static let ofFiles = record(
        "", Field("message", .text, "The problem, in one sentence.", { $0.message }, { $0.message = $1 }),
        help: Field("help", orNull: .text, "The remedy.", { $0.help }, { $0.help = $1 }))

    /// One of a plan.
    package static let ofPlan = record(
        Reason.verbatim(""),
        .reason("message", "The problem, in one sentence.", { $0.message }, { $0.message = $1 }),
        help: .reason("help", orNull: "The remedy.", { $0.help }, { $0.help = $1 }))

    private static func record<Words>(
        _ blank: Words, _ message: Field<DiagnosticOf<Words>>, help: Field<DiagnosticOf<Words>>
    ) -> Record<DiagnosticOf<Words>> {
        Record(
            DiagnosticOf(.error, .missed, blank),
            [
                Field("severity", .choice(Severity.self), "The severity.", { $0.severity }, { $0.severity = $1 }),
                Field("code", .choice(DiagnosticCode.self), "Its stable identifier.", { $0.code }, { $0.code = $1 }),
                message, Field(group: Place.recordOfSome, { Place($0.range) }, { $0.range = $1.range }), help,
                Field(
                    optional: "related", .list(of: .record(RelatedPlace.record, definedAs: "related"), minimum: 1),
                    "Other places that matter.", unless: [], { $0.related }, { $0.related = $1 }),
            ])
    }
}

extension RelatedPlace {
    package static let record = Record<Self>(
        Self("", at: Place.nowhere),
        [
            Field("message", .text, "The meaning of this place.", { $0.message }, { $0.message = $1 }),
            Field(group: Place.record, { Place($0.range) }, { $0.range = $1.range ?? Place.nowhere }),
        ])
}

/// The parts of a place in a file; all nil when there is no place.
private struct Place {
    var file: String?
    var line: Int?
    var column: Int?
    var endLine: Int?
    var endColumn: Int?

    static let nowhere = SourceRange(file: "", start: SourcePosition(line: 1, column: 1))

    init(_ range: SourceRange?) {
        file = range?.file
        line = range?.start.line
        column = range?.start.column
        endLine = range?.end.line
        endColumn = range?.end.column
    }

    var range: SourceRange? {
        guard let file, let line, let column else { return nil }
        return SourceRange(
            file: file, start: SourcePosition(line: line, column: column),
            end: SourcePosition(line: endLine ?? line, column: endColumn ?? column + 1))
    }

    static let record = Record<Place>(
        Place(nil),
        [
            Field("file", .text, "The file.", { $0.file ?? "" }, { $0.file = $1 }),
            Field("line", .count(minimum: 1), "The line, from 1.", { $0.line ?? 1 }, { $0.line = $1 }),
            Field(
                "column", .count(minimum: 1), "The column in characters, from 1.", { $0.column ?? 1 },
                { $0.column = $1 }),
            Field("endLine", .count(minimum: 1), "The line of its end.", { $0.endLine ?? 1 }, { $0.endLine = $1 }),
            Field(
                "endColumn", .count(minimum: 1), "The column after its last character.", { $0.endColumn ?? 1 },
                { $0.endColumn = $1 }),
        ])

    /// The record of a place that may be missing.
    static let recordOfSome = Record<Place>(
        Place(nil),
        [
            Field("file", orNull: .text, "The file; null: no place in a file.", { $0.file }, { $0.file = $1 }),
            Field("line", orNull: .count(minimum: 1), "The line, from 1.", { $0.line }, { $0.line = $1 }),
            Field(
                "column", orNull: .count(minimum: 1), "The column in characters, from 1.", { $0.column },
                { $0.column = $1 }),
            Field("endLine", orNull: .count(minimum: 1), "The line of its end.", { $0.endLine }, { $0.endLine = $1 }),
            Field(
                "endColumn", orNull: .count(minimum: 1), "The column after its last character.", { $0.endColumn },
                { $0.endColumn = $1 }),
        ])
}
