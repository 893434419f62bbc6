internal import ArgumentParser
internal import Base
internal import Push
internal import PushServer

/// The options that name the registry to fill and the workspace that will push to it.
struct RegistryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's settings file, for its 'data' and 'workspace'.", valueName: "FILE"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The SQLite file, created if missing, or postgres://USER@HOST/DATABASE.", valueName: "FILE|URL"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the bugle workspace whose conditions say which classes are needed.", valueName: "DIR"))
    var workspace: String?

    /// The place of the registry, and the classes that the workspace's conditions point to.
    ///
    /// - Throws: ``InvalidSettings`` if the settings file or the workspace is invalid, `ValidationError` if no source
    ///   names the registry.
    func read() async throws -> (data: DataPlace, pointedTo: Set<String>) {
        let loaded = try LoadedSettings(config: config) { setting in
            switch setting {
            case .data: data
            case .workspace: workspace
            default: nil
            }
        }
        let place = try loaded.data()
        guard let folder = loaded.settings.workspace else { return (place, []) }
        let read = await WorkspaceLoader.load(directory: folder, displayedAs: folder)
        guard let workspace = read.workspace else { throw InvalidSettings(read.diagnostics) }
        return (place, workspace.pointedClasses)
    }
}
