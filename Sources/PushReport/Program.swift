package import ArgumentParser
internal import Base
internal import CBuild
internal import CLibrary
internal import HTTP
internal import Push
internal import YAML

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

/// What both programs do alike where they are asked for help.
package enum CommandHelp {
    /// The columns of a line of usage.
    private static let columns = 80

    /// The text with each line of usage within 80 columns; only between two arguments a line ends.
    package static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.count > columns, line.lowercased().hasPrefix("usage: ") else { return String(line) }
            var (lines, current) = ([String](), "")
            for word in words(of: line) {
                if !current.isEmpty, current.count + 1 + word.count > columns {
                    lines.append(current)
                    current = "        " + word
                } else {
                    current += (current.isEmpty ? "" : " ") + word
                }
            }
            return (lines + [current]).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The words of a line; what is between brackets is one.
    private static func words(of line: Substring) -> [String] {
        var (words, depth) = ([""], 0)
        for character in line {
            if character == " ", depth == 0 {
                words.append("")
            } else {
                depth += character == "[" ? 1 : character == "]" ? -1 : 0
                words[words.count - 1].append(character)
            }
        }
        return words
    }

    /// Returns a message about the first name that is none of a command, nil when all are; `meant` has words for the
    /// names of other programs.
    package static func unknownCommand(
        in arguments: ArraySlice<String>, of parent: any ParsableCommand.Type, meant: [String: String] = [:]
    ) -> String? {
        guard let name = arguments.first, !name.hasPrefix("-") else { return nil }
        let commands = parent.configuration.subcommands
        if let command = commands.first(where: { $0._commandName == name }) {
            return unknownCommand(in: arguments.dropFirst(), of: command, meant: meant)
        }
        let names = commands.map { $0._commandName }
        let known = meant[name].flatMap { names.contains($0) ? "; did you mean \(quoted($0))?" : nil }
        return "there is no command \(quoted(name))\(known ?? Suggestion.ending(for: name, among: names))"
    }
}

/// Which build of a program runs, and with which libraries.
package enum ProgramVersion {
    /// The version of a program and the commit it was built from, a line each.
    package static func text(of program: String) -> String {
        """
        \(program) \(BugleVersion.number)
        commit \(commit ?? "unknown")
        """
    }

    /// The versions of libcurl and libyaml, a line each: those that are installed now, as the system updates them on its
    /// own. Asking loads libcurl.
    package static var libraries: String {
        """
        libcurl \(LibcurlVersion.text)
        libyaml \(LibyamlVersion.text)
        """
    }

    private static var commit: String? {
        // A constant of the program, or null.
        unsafe bugle_build_commit().map { unsafe String(cString: $0) }
    }
}
