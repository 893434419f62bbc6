internal import Base

extension WorkspaceLoader {
    /// The name of the file with the Workspace document.
    package static let marker = FileTree.marker

    /// Reads the policy in a text of a `bugle.yaml`, such as one that is in git only; nil when it has errors or declares no
    /// workspace.
    ///
    /// Only errors about files count for nothing: those that an older text names may be gone.
    package static func policy(in text: String, folder: String) -> Policy? {
        let reader = FileReader(folder: WorkspaceFolder(root: folder), naming: FileNaming(workspace: ""))
        let file = reader.read(Array(text.utf8), as: FileTree.marker)
        guard !file.diagnostics.contains(where: { $0.severity == .error && $0.code != .unreadable }) else { return nil }
        for declaration in file.declarations {
            if case .workspace(let workspace) = declaration.content { return workspace.policy }
        }
        return nil
    }
}
