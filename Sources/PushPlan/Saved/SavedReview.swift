package import Diagnostics

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
        guard PlanSeal.unsealed(bytes) == nil, let head = try? Plan.decode(Head.self, bytes),
            head.integrity == nil, head.changes == nil, head.diagnostics != nil,
            head.formatVersion.split(separator: ".").first == "\(BugleVersion.majorFormat)"
        else { return .plan(try Plan.read(saved: bytes)) }
        let body: Body
        do {
            body = try Plan.decode(Body.self, bytes)
        } catch {
            throw .notAPlan(Plan.reason(of: error))
        }
        var diagnostics: [Diagnostic] = []
        for (index, diagnostic) in body.diagnostics.enumerated() {
            diagnostics.append(try diagnostic.value("diagnostics[\(index)]"))
        }
        return .diagnostics(diagnostics)
    }

    private struct Head: Decodable {
        var formatVersion: String
        var integrity: SavedPlanHead.Presence?
        var changes: SavedPlanHead.Presence?
        var diagnostics: SavedPlanHead.Presence?
    }

    private struct Body: Decodable {
        var diagnostics: [SavedDiagnostic]
    }
}
