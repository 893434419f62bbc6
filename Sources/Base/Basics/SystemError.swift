internal import CLibrary

/// The reason a system call failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number, such as `ENOENT`.
    package let code: Int32

    /// The error of the call that has just failed on this thread.
    package init() { code = errno }

    /// In the system's words, for example `No such file or directory`.
    package var description: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    /// Throws when a call's result means that it failed.
    static func check(_ result: Int32) throws(SystemError) {
        if result != 0 { throw SystemError() }
    }
}
