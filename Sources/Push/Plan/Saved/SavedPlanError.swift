/// The reason why a file cannot be shown or applied as a plan; always exit code 9.
package struct SavedPlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    package let code: Code
    /// The fault and the remedy, in one sentence.
    package let description: String

    /// The kinds of faults.
    package enum Code: Hashable, Sendable {
        /// The file was a plan, but some byte has changed.
        case damaged
        /// The file is not a plan, or has members that no plan of this version has.
        case notAPlan
        /// The file was written by a later program, in an unknown format.
        case majorVersion
    }

    private init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static var damaged: SavedPlanError {
        SavedPlanError(.damaged, "the plan file was altered or damaged after it was written; plan again with --out")
    }

    static func notAPlan(_ reason: String) -> SavedPlanError {
        SavedPlanError(.notAPlan, "not a plan file of bugle: \(reason); 'bugle plan --out FILE' writes one")
    }

    static func majorVersion(_ version: String, tool: String?) -> SavedPlanError {
        SavedPlanError(
            .majorVersion,
            """
            the plan file has format \(version)\(tool.map { ", written by \($0)" } ?? ""), and \(BugleVersion.tool) \
            reads format \(BugleVersion.majorFormat); plan again with this version
            """)
    }
}
