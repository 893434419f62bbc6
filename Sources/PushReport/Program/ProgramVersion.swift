internal import CBuild
internal import HTTP
internal import YAML
internal import Push

/// Which build of a program runs, and with which libraries.
package enum ProgramVersion {
    /// The version of a program with the commit, libcurl and libyaml, a line each. The libraries are those that are
    /// loaded now: the system updates them on its own.
    package static func text(of program: String) -> String {
        """
        \(program) \(BugleVersion.number)
        commit \(commit ?? "unknown")
        libcurl \(LibcurlVersion.text)
        libyaml \(LibyamlVersion.text)
        """
    }

    private static var commit: String? {
        // A constant of the program, or null.
        unsafe bugle_build_commit().map { unsafe String(cString: $0) }
    }
}
