package import Base

/// The output of `bugle plan --out` or `--format json`: a plan, or the reason why there is none.
package enum SavedReview: Hashable, Sendable {
    /// A plan.
    case plan(Plan)
    /// The diagnostics of an invalid configuration.
    case diagnostics([Diagnostic])

    /// Reads a file written by `bugle plan`.
    ///
    /// - Throws: ``SavedPlanError`` as ``Plan/read(saved:)`` does, and `notAPlan` for unreadable diagnostics.
    package static func read(_ bytes: [UInt8]) throws(SavedPlanError) -> SavedReview {
        // Only a plan ends with a seal.
        guard PlanSeal.unsealed(bytes) == nil, let document = Plan.document(bytes),
            document["integrity"] == nil, document["changes"] == nil, let list = document["diagnostics"],
            document["formatVersion"]?.string?.split(separator: ".").first == "\(BugleVersion.majorFormat)"
        else { return .plan(try Plan.read(saved: bytes)) }
        do throws(RecordError) {
            return .diagnostics(try JSONForm<[Diagnostic]>.list(of: .record(DiagnosticRecord.ofFiles)).read(list))
        } catch {
            throw .notAPlan(error.text(in: "diagnostics"))
        }
    }
}
