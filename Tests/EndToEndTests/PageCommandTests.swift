import Base
import Foundation
import ProgramTesting
import Testing

/// The commands that pages name in their sentences are those of the programs, and the recipes' are run as they are printed.
@Suite struct PageCommandTests {
    /// The commands in the sentences of all pages, in both languages.
    private static let commands: [String] = {
        let root = PrintedPage.root
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
        let pages = files.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 } + ["README.md", "README.zh-CN.md"]
        var found: Set<String> = []
        for page in pages {
            let text = (try? String(contentsOf: root.appending(path: page), encoding: .utf8)) ?? ""
            for match in text.matches(of: /`((?:bugle|bugle-server|bugle-ci\.sh) [^`]+)`/) {
                found.insert(String(match.output.1))
            }
        }
        return found.sorted()
    }()

    /// Of several words one, what may be left out left out, and nothing where a page leaves something out.
    private static func words(of command: String) -> [String] {
        command.replacing(/\[[^\]]*\]/, with: "").replacing(/\ > \S+/, with: "").replacing("COMMAND", with: "plan")
            .replacing(/\\?\|\S+/, with: "").replacing("FENCE", with: "1").replacing("CODE", with: "unknown-field")
            .split(separator: " ").map(String.init)
    }

    /// In a folder with nothing in it each fails, but never because the program does not know it.
    @Test func everyCommandThatAPageNamesIsKnownToItsProgram() async throws {
        let programs = Self.commands.filter { !$0.hasPrefix("bugle-ci.sh") }
        #expect(programs.count > 30)
        let folder = FileManager.default.temporaryDirectory.appending(path: "pages-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for command in programs where command != "bugle-server demo" {
            let words = Self.words(of: command)
            let run = try await FinishedProgram.run(
                words[0], Array(words.dropFirst()), environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path],
                folder: folder)
            let said = run.output + run.errors
            for problem in ["Unknown option", "Unexpected argument", "unexpected argument"] {
                #expect(!said.contains(problem), "\(command): \(said)")
            }
        }
    }

    @Test func theShellRecipeHasTheSubcommandsThatItsPageNames() throws {
        let script = try String(
            contentsOf: PrintedPage.root.appending(path: "examples/ci/shell/bugle-ci.sh"), encoding: .utf8)
        let named = Self.commands.filter { $0.hasPrefix("bugle-ci.sh ") }.map { $0.dropFirst("bugle-ci.sh ".count) }
        #expect(named.count == 6)
        for word in named {
            #expect(script.contains(try Regex("(?m)^ *(\\w+ \\| )*\(word)( \\| \\w+)*\\)")), "\(word)")
        }
    }

    /// The command of the page's second step writes what the next ones speak of.
    @Test func theStepsForGitHubWriteWhatTheySay() async throws {
        let pages = try ["docs/ci/github.md", "docs/ci/github.zh-CN.md"].map {
            try String(contentsOf: PrintedPage.root.appending(path: $0), encoding: .utf8)
        }
        let command = try #require(pages[0].firstMatch(of: /`(bugle init --ci github [^`]*)`/)).output.1
        let key = try #require(pages[0].firstMatch(of: /`(openssl [^`]*)`/)).output.1
        #expect(pages[1].contains("`\(command)`") && pages[1].contains("`\(key)`"))
        try await GitHubRecipeTests.run { checkout, _, _ in
            let environment = try PrintedPage.environment([:])
            let made = try await PrintedPage.shell(String(command), in: checkout.folder, environment)
            #expect(made.status == 0, "\(made.output)")
            for match in pages[0].matches(of: /`(bugle-(?:pull-request|apply)\.yml)`/) {
                let file = checkout.folder.appending(path: ".github/workflows/\(match.output.1)")
                #expect(FileManager.default.fileExists(atPath: file.path), "\(file)")
            }
            let secret = try await PrintedPage.shell(String(key), in: checkout.folder, environment)
            #expect(secret.status == 0 && secret.output.wholeMatch(of: /[0-9a-f]{64}\n/) != nil, "\(secret.output)")
        }
    }

    /// By default a merge takes a plan only where that token shows that a push takes approvals away.
    @Test(arguments: ["docs/ci/gitlab.md", "docs/ci/gitlab.zh-CN.md"])
    func thePageForGitLabNamesWhatAMergeTakesNoPlanWithout(page: String) throws {
        let text = try String(contentsOf: PrintedPage.root.appending(path: page), encoding: .utf8)
        let component = try #require(try RecipeFile.yaml("gitlab/templates/bugle.yml").first)
        #expect(component["spec"]?["inputs"]?["require-approval"]?["default"] == "true")
        #expect(text.contains("`require-approval: \"false\"`") && text.contains("Maintainer"))
    }

    /// What the second step writes has no line for the key of plans, and no job of its own for forks.
    @Test(arguments: ["docs/ci/github.md", "docs/ci/github.zh-CN.md"])
    func theStepsForGitHubSayWhatTheSecondOneDoesNotWrite(page: String) throws {
        let text = try String(contentsOf: PrintedPage.root.appending(path: page), encoding: .utf8)
        let steps = text.split(separator: "\n").filter { $0.contains("BUGLE_PLAN_KEY") || $0.contains("*validate*") }
        #expect(steps.count == 2 && steps[0].contains("`env`") && steps[1].contains("3"), "\(steps)")
        #expect(text.contains("`production`") && text.contains("`production-timer`"), "every environment is made")
    }

    /// The component takes the inputs that the page gives it, and needs no others.
    @Test(arguments: ["docs/ci/gitlab.md", "docs/ci/gitlab.zh-CN.md"])
    func theIncludeForGitLabFitsItsComponent(page: String) throws {
        let text = try String(contentsOf: PrintedPage.root.appending(path: page), encoding: .utf8)
        let block = try #require(text.firstMatch(of: /(?s)\ *```yaml\n(.*?)\n *```/)).output.1
        let included = try #require(try RecipeFile.documents(String(block), page).first?["include"]?.array?.first)
        #expect(included["local"] == ".ci/bugle/gitlab/templates/bugle.yml")
        let component = try #require(try RecipeFile.yaml("gitlab/templates/bugle.yml").first)
        let inputs = try #require(component["spec"]?["inputs"]?.object)
        let given = try #require(included["inputs"]?.object)
        for (name, _) in given { #expect(inputs[name] != nil, "\(name)") }
        for (name, input) in inputs where input["default"] == nil { #expect(given[name] != nil, "\(name)") }
    }
}
