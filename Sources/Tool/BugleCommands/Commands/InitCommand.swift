internal import ArgumentParser
internal import FoundationEssentials

/// Writes a small commented starter workspace.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Writes a small commented workspace that validates.")

    @OptionGroup var common: CommonOptions

    @Argument(help: ArgumentHelp("The folder; default: the current one.", valueName: "DIR"))
    var directory = "."

    func run() async throws {
        try await running(common) {
            let console = Console.of(common)
            let taken = StarterWorkspace.files.map { "\(directory)/\($0.path)" }
                .filter { FileManager.default.fileExists(atPath: $0) }
            guard taken.isEmpty else {
                throw Failure(.failed, "\(taken.joined(separator: ", ")) already exists; nothing was written")
            }
            for file in StarterWorkspace.files {
                let path = "\(directory)/\(file.path)"
                let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                    separator: "/")
                do {
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                } catch {
                    throw Failure(.failed, "the folder \(folder) cannot be created")
                }
                try OutputFile.write(Array(file.text.utf8), to: path)
                console.output("wrote \(path)\n")
            }
            console.output(
                "\(StarterWorkspace.schema) is for editors; renew it with: bugle schema > bugle.schema.json\n")
            console.output("Next: bugle validate -C \(directory)\n")
            return .success
        }
    }
}
