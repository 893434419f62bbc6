internal import ArgumentParser
internal import ProgramVersion

/// Says which bugle it is.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Prints the version, the commit that it was built from, and those of libcurl and libyaml.")

    func run() {
        print(ProgramVersion.text(of: "bugle"))
    }
}
