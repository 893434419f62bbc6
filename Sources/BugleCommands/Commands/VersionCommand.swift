internal import ArgumentParser
internal import PushReport

/// Prints the version.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Prints the version, the commit it was built from, and the versions of libcurl and libyaml.",
        discussion: """
            EXAMPLE
              bugle version
            """)

    func run() {
        print(ProgramVersion.text(of: "bugle"))
    }
}
