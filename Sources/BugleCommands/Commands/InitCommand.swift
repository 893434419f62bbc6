internal import ArgumentParser
internal import FoundationEssentials
internal import Push

/// Writes a small commented starter workspace, or the workflows of CI for one.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Writes a small workspace for 'bugle-server demo', or its workflows of CI.",
        discussion: """
            EXAMPLES
              bugle init push
              bugle init push --ci github

            In or beside a folder with an Xcode project, bugle.yaml proposes a DeviceProfile with its bundle id and \
            team, its languages and its string catalogs.
            """)

    /// A service that runs workflows.
    enum Forge: String, ExpressibleByArgument, CaseIterable {
        case github, gitlab
    }

    @Argument(help: ArgumentHelp("The folder; default: the current one.", valueName: "DIR"))
    var directory: String?

    @Option(help: ArgumentHelp("The address of the server.", valueName: "ADDRESS"))
    var url = "http://127.0.0.1:8710"

    @Option(
        help: ArgumentHelp(
            "Write the workflows that run the workspace in DIR, which exists: github or gitlab.", valueName: "FORGE"))
    var ci: Forge?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let problem = WebAddress.problem(with: url) { throw ValidationError("--url \(problem)") }
    }

    func run() async throws {
        try await running(common) {
            if let ci { try await writeWorkflows(ci) } else { try writeWorkspace(in: directory ?? ".") }
            return .success
        }
    }

    private func writeWorkspace(in directory: String) throws {
        let console = Console.of(common)
        let project = XcodeProject.find(for: directory)
        try write(
            StarterWorkspace.files(url: url, project: project), to: directory, unlessThere: StarterWorkspace.settings)
        console.output("\(StarterWorkspace.schema) is for editors; renew it with: bugle schema > bugle.schema.json\n")
        let hasKey = ProcessInfo.processInfo.environment[StarterWorkspace.keyVariable]?.isEmpty == false
        console.output(
            hasKey
                ? "Next: bugle plan -C \(directory.shellWord)\n"
                : "Next, in another terminal: bugle-server demo   # prints the key, and what comes then\n")
    }

    private func writeWorkflows(_ forge: Forge) async throws {
        var options = common
        options.directory = directory ?? common.directory
        let bench = try await Workbench(options)
        let desired = try bench.desired()
        let workflows = Workflows(
            folder: bench.displayName, remote: try bench.remote(named: nil, in: desired), of: desired)
        switch forge {
        case .github: try write(workflows.github, to: ".")
        case .gitlab: try write(workflows.gitlab, to: ".")
        }
        bench.console.output("Next: copy bugle's examples/ci to .ci/bugle; its README.md says which secrets go where\n")
    }

    /// Writes files that do not exist yet; of those in `unlessThere` one that exists is left as it is.
    private func write(
        _ files: [(path: String, text: String)], to directory: String, unlessThere: Set<String> = []
    ) throws {
        func place(_ path: String) -> String { directory == "." ? path : "\(directory)/\(path)" }
        let manager = FileManager.default
        let taken = files.filter { manager.fileExists(atPath: place($0.path)) }.map(\.path)
        let inTheWay = taken.filter { !unlessThere.contains($0) }.map(place)
        guard inTheWay.isEmpty else {
            throw Failure(.failed, "\(inTheWay.joined(separator: ", ")) already exists; nothing was written")
        }
        for file in files where !taken.contains(file.path) {
            let path = place(file.path)
            let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            do {
                if !folder.isEmpty {
                    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
                }
            } catch {
                throw Failure(.failed, "the folder \(folder) cannot be created")
            }
            try OutputFile.write(Array(file.text.utf8), to: path)
            Console.of(common).output("wrote \(path)\n")
        }
    }
}

extension String {
    /// The text as one word of a POSIX shell.
    var shellWord: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                true
            default: "-_./:@%+=,".utf8.contains(byte)
            }
        }
        return plain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
