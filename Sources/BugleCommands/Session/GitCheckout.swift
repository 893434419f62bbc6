internal import Subprocess

/// The git checkout that a workspace's folder is in.
struct GitCheckout: Sendable {
    /// The workspace's folder.
    let folder: String

    /// A file of its own for the names of a commit, instead of the checkout's; nil for that.
    var index: String?

    /// The output of a git command in the folder, at most 1 MiB; nil when git is missing, fails or says more.
    func output(_ arguments: String...) async -> String? {
        let result = try? await Subprocess.run(
            .name("git"),
            arguments: Arguments(["-C", folder, "--no-replace-objects", "--no-optional-locks"] + arguments),
            environment: index.map { .inherit.updating(["GIT_INDEX_FILE": $0]) } ?? .inherit,
            output: .string(limit: 1 << 20), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardOutput
    }
}
