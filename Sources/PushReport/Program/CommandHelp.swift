package import ArgumentParser
internal import Base

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
