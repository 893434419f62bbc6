import FoundationEssentials
import ProgramTesting
import Testing
import YAML

/// The repository's own files are as `bugle fmt` would write them.
@Suite struct ExampleLayoutTests {
    private static let root = repository.path

    static let files: [String] = ["campaigns", "examples"].flatMap { folder in
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { "\(folder)/\($0)" }
    }

    @Test func thereAreExamples() { #expect(Self.files.count > 20) }

    @Test(arguments: files)
    func anExampleIsCanonical(_ file: String) throws {
        let bytes = Array(try #require(FileManager.default.contents(atPath: "\(Self.root)/\(file)")))
        #expect(YAMLLayout(file: file).lay(out: bytes) == .laidOut(bytes))
    }
}
