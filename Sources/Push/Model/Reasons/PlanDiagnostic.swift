package import Base

/// A finding of a plan, which every language says in its own words.
package typealias PlanDiagnostic = DiagnosticOf<Reason>

extension Diagnostic {
    /// The finding in a plan: what is said of files is English there, too.
    package var planned: PlanDiagnostic { map(Reason.verbatim) }
}
