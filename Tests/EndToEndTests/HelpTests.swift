import Foundation
import ProgramTesting
import PushServer
import Testing

/// The help of every command of both programs.
@Suite struct HelpTests {
    /// The help of a command and of those below it, by the words that lead there.
    private static func pages(
        _ program: String, _ words: [String] = []
    ) async throws -> [(words: [String], text: String)] {
        let run = try await FinishedProgram.run(
            program, words + ["--help"], environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
        #expect(run.ending == .exited(0) && run.errors.isEmpty, "\(program) \(words): \(run.errors)")
        var pages = [(words, run.output)]
        let rows = run.output.split(separator: "\n").drop { $0 != "SUBCOMMANDS:" }.dropFirst()
        for row in rows where row.hasPrefix("  ") && row.dropFirst(2).first?.isLowercase == true {
            let name = row.dropFirst(2).prefix { $0 != " " }
            pages += try await Self.pages(program, words + [String(name)])
        }
        return pages
    }

    @Test(arguments: ["bugle", "bugle-server"])
    func everyCommandBeginsWithExamplesNamesItsArgumentsAndFitsATerminal(program: String) async throws {
        let pages = try await Self.pages(program)
        #expect(pages.count > 10)
        for (words, text) in pages {
            let name = ([program] + words).joined(separator: " ")
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 80, "\(name): \(line)") }
            let unnamed = text.matches(of: /<[a-z][a-z-]*>/).map { String($0.output) }
            #expect(unnamed.allSatisfy { ["<subcommand>", "<options>"].contains($0) }, "\(name): \(unnamed)")
            let options = lines.filter { $0.hasPrefix("  -") }.map {
                String($0.dropFirst(2).prefix { $0 != " " && $0 != "," })
            }
            if let common = options.firstIndex(of: "-C") {
                let last = ["-C", "--language", "--no-color", "-v", "--log-format", "--version", "-h"]
                #expect(Array(options[common...]) == last, "\(name): common options come last")
            }
            // What only has other commands is shown by them.
            guard words.isEmpty || !text.contains("\nSUBCOMMANDS:") else { continue }
            let head = try #require(text.components(separatedBy: "\nUSAGE:").first)
            let paragraphs = head.components(separatedBy: "\n\n")
            let examples = try #require(paragraphs.first { $0.hasPrefix("EXAMPLE") }, "\(name)")
            #expect(paragraphs.firstIndex(of: examples) == 1, "\(name): examples come first")
            for example in examples.split(separator: "\n").dropFirst() {
                #expect(example.hasPrefix("  \(program) "), "\(name): \(example)")
                guard !words.isEmpty else { continue }
                #expect(example.hasPrefix("  \(name)"), "\(name): \(example)")
                for option in example.matches(of: /--[a-z-]+/).map(\.output) {
                    #expect(text.contains("\n  \(option)") || text.contains(", \(option)"), "\(name): \(option)")
                }
            }
        }
    }

    @Test func theServersHelpHasEverySettingWithItsValueAndSentenceInOrder() async throws {
        let run = try await FinishedProgram.run("bugle-server", ["serve", "--help"], environment: ["LANG": "C.UTF-8"])
        let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let rows = Setting.allCases.compactMap { setting in
            setting.help.map { help in "\(setting.option)\(setting.placeholder.map { " <\($0)>" } ?? "") \(help)" }
        }
        #expect(rows.count > 30)
        #expect(
            text.contains("--config <FILE> A YAML settings file. \(rows.joined(separator: " ")) --version"), "\(text)")
        for secret in Setting.allCases where secret.help == nil { #expect(!text.contains(secret.option + " ")) }
    }

    @Test(arguments: ["bugle", "bugle-server"]) func helpOfACommandThatDoesNotExistIsWrongUsage(program: String)
        async throws
    {
        for words in [["help", "foo"], ["help", "migrat"]] {
            let run = try await FinishedProgram.run(program, words, environment: [:])
            #expect(run.ending == .exited(64) && run.output.isEmpty, "\(program) \(words)")
            #expect(run.errors.contains("there is no command '\(words[1])'"))
            if words[1] == "migrat" { #expect(run.errors.contains("did you mean 'migrate'?")) }
        }
        let good = try await FinishedProgram.run(program, ["help", "migrate"], environment: [:])
        #expect(good.ending == .exited(0) && good.output.contains("USAGE: \(program) migrate"))
    }
}
