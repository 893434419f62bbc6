package import ArgumentParser
internal import CLibrary

extension AsyncParsableCommand {
    /// Runs a program with the process's arguments, and ends it.
    ///
    /// It ends without the libraries' handlers: OpenSSL's frees what the threads of connections still use, and a crash
    /// there would replace the exit code of what is done.
    ///
    /// - Parameters:
    ///   - check: refuses arguments that the parser would take.
    ///   - say: prints what an error says, to standard output if its code is that of success.
    package static func runProgram(
        checking check: () throws -> Void = {}, saying say: (any Error, ExitCode) -> Void
    ) async -> Never {
        var code = ExitCode.success
        do {
            try check()
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            code = exitCode(for: error)
            say(error, code)
        }
        fflush(nil)
        _exit(code.rawValue)
    }
}
