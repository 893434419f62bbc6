/// Why a file is not a plan that can be shown or applied; always exit code 9.
package struct SavedPlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which kind of fault it is.
    package let code: Code
    /// What is wrong and what to do, in one sentence.
    package let description: String

    /// The kinds of faults.
    package enum Code: Hashable, Sendable {
        /// It was a plan, and some byte of it is not as it was written.
        case damaged
        /// It is something else, or has members that no plan of this version has.
        case notAPlan
        /// A later program wrote it, in a format that this one does not know.
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
        SavedPlanError(.notAPlan, "not a plan file of bugle: \(reason)")
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
