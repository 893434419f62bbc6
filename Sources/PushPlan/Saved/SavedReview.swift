package import Diagnostics
internal import JSONValue
internal import Records

/// What `bugle plan --out` or `--format json` wrote: a plan, or why there is none.
package enum SavedReview: Hashable, Sendable {
    /// A plan.
    case plan(Plan)
    /// The configuration is invalid; what there is to say about it.
    case diagnostics([Diagnostic])

    /// Reads such a file.
    ///
    /// - Throws: ``SavedPlanError`` as ``Plan/read(saved:)`` does, and `notAPlan` for diagnostics that cannot be read.
    package static func read(_ bytes: [UInt8]) throws(SavedPlanError) -> SavedReview {
        // A plan ends with its seal; nothing else does.
        guard PlanSeal.unsealed(bytes) == nil, let document = Plan.document(bytes),
            document["integrity"] == nil, document["changes"] == nil, let list = document["diagnostics"],
            document["formatVersion"]?.string?.split(separator: ".").first == "\(BugleVersion.majorFormat)"
        else { return .plan(try Plan.read(saved: bytes)) }
        do throws(RecordError) {
            return .diagnostics(try JSONForm<[Diagnostic]>.list(of: .record(Diagnostic.record)).read(list))
        } catch {
            throw .notAPlan(error.text(in: "diagnostics"))
        }
    }
}
