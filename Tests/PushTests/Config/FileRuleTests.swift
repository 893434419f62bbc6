import Base
import Testing

@testable import Push

/// Which files of a folder are read.
@Suite struct FileRuleTests {
    private static func folder(exclude: String? = nil) -> TemporaryFolder {
        let folder = TemporaryFolder()
        let more = exclude.map { "exclude: [\($0)]\n" } ?? ""
        folder.write("bugle.yaml", "kind: Workspace\nname: giants\n" + more)
        return folder
    }

    private static func channel(_ name: String) -> String { "kind: Channel\nname: \(name)\n" }

    @Test func filesAreReadInPathOrder() async {
        let folder = Self.folder()
        folder.write("b.yaml", Self.channel("b"))
        folder.write("a/z.yml", Self.channel("z"))
        folder.write("a/deep/er/y.yaml", Self.channel("y"))
        folder.write("notes.txt", "not: [yaml")
        folder.write("a.yaml.bak", "not: [yaml")
        folder.write(".hidden.yaml", "not: [yaml")
        folder.write(".git/x.yaml", "not: [yaml")
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.files == ["a/deep/er/y.yaml", "a/z.yml", "b.yaml", "bugle.yaml"])
        #expect(loaded.workspace?.channels.map(\.name) == ["b", "y", "z"])
    }

    @Test func anotherWorkspaceIsNotEntered() async {
        let folder = Self.folder()
        folder.write("other/bugle.yaml", "kind: Workspace\nname: other\n")
        folder.write("other/deep/a.yaml", "not: [yaml")
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.files == ["bugle.yaml"])
    }

    @Test func aLinkThatLeadsOutsideIsAnError() async {
        let outside = TemporaryFolder()
        outside.write("a.yaml", Self.channel("a"))
        let folder = Self.folder()
        folder.link("file.yaml", to: outside.path + "/a.yaml")
        folder.link("folder", to: outside.path)
        folder.link("README.md", to: outside.path + "/a.yaml")
        #expect(
            await folder.lines() == [
                "file.yaml:1:1: error: the link leads out of the workspace [link-outside]",
                "folder:1:1: error: the link leads out of the workspace [link-outside]",
            ])
    }

    @Test(arguments: [
        ("notes", "/no/such/folder"), ("notes", "../no-such-folder"), ("a.yaml", "/no/such/file.yaml"),
        ("a.yaml", "/dev/null"), ("notes", "docs/../../no/such"),
    ])
    func aLinkThatLeadsOutsideIsAnErrorWhateverIsThere(name: String, target: String) async {
        let folder = Self.folder()
        folder.write("docs/a.yaml", Self.channel("a"))
        folder.link(name, to: target)
        #expect(await folder.lines() == ["\(name):1:1: error: the link leads out of the workspace [link-outside]"])
    }

    @Test func aLinkInsideReadsAFileOnce() async {
        let folder = Self.folder()
        folder.write("real/a.yaml", Self.channel("a"))
        folder.write(".store/b.yaml", Self.channel("b"))
        folder.link("a.yaml", to: "real/a.yaml")
        folder.link("linked", to: "real")
        folder.link("b.yaml", to: ".store/b.yaml")
        folder.link("c.yaml", to: ".store/b.yaml")
        folder.link("real/up", to: "..")
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.files == ["b.yaml", "bugle.yaml", "real/a.yaml"])
    }

    /// A file system tells an `é` from an `e` with an accent.
    @Test func namesThatAreEqualAsTextsAreTwo() async {
        let folder = Self.folder()
        folder.write("caf\u{e9}/a.yaml", Self.channel("a"))
        folder.write("cafe\u{301}/b.yaml", Self.channel("b"))
        folder.write(".store/caf\u{e9}.yaml", Self.channel("c"))
        folder.write(".store/cafe\u{301}.yaml", Self.channel("d"))
        folder.link("c.yaml", to: ".store/caf\u{e9}.yaml")
        folder.link("d.yaml", to: ".store/cafe\u{301}.yaml")
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.workspace?.channels.map(\.name) == ["a", "b", "c", "d"])
    }

    @Test func aLinkIntoAFolderWhoseNameIsEqualAsATextLeadsOutside() async {
        let folder = TemporaryFolder()
        folder.write("caf\u{e9}/bugle.yaml", "kind: Workspace\nname: giants\n")
        folder.write("cafe\u{301}/a.yaml", Self.channel("a"))
        folder.link("caf\u{e9}/a.yaml", to: "../cafe\u{301}/a.yaml")
        let loaded = await WorkspaceLoader.load(directory: folder.path + "/caf\u{e9}", displayedAs: ".")
        #expect(loaded.diagnostics.map(\.code) == [.linkOutside])
    }

    @Test func aLinkThatLeadsNowhereIsAnError() async {
        let folder = Self.folder()
        folder.link("a.yaml", to: "nothing.yaml")
        folder.link("notes", to: "nothing")
        let diagnostics = await folder.load().diagnostics
        #expect(diagnostics.map(\.code) == [.unreadable])
        #expect(diagnostics.first?.range?.file == "a.yaml")
    }

    @Test func aFolderNamedAsAFileIsEnteredAndNotRead() async {
        let folder = Self.folder()
        folder.write("a.yaml/b.yaml", Self.channel("b"))
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.files == ["a.yaml/b.yaml", "bugle.yaml"])
    }

    @Test(arguments: [
        ("drafts", ["a.yaml", "docs/a.yaml", "docs/deep/b.yaml"]),
        ("drafts/", ["a.yaml", "docs/a.yaml", "docs/deep/b.yaml"]),
        ("'drafts/**'", ["a.yaml", "docs/a.yaml", "docs/deep/b.yaml"]),
        ("'a.yaml'", ["docs/deep/b.yaml", "drafts/c.yaml"]),
        ("'/a.yaml'", ["docs/a.yaml", "docs/deep/b.yaml", "drafts/c.yaml"]),
        ("'./docs/a.yaml'", ["a.yaml", "docs/deep/b.yaml", "drafts/c.yaml"]),
        ("'docs/*'", ["a.yaml", "drafts/c.yaml"]),
        ("'docs/*.yaml'", ["a.yaml", "docs/deep/b.yaml", "drafts/c.yaml"]),
        ("'**/b.yaml'", ["a.yaml", "docs/a.yaml", "drafts/c.yaml"]),
        ("'**/a.yaml'", ["docs/deep/b.yaml", "drafts/c.yaml"]),
        ("'docs/**/b.yaml'", ["a.yaml", "docs/a.yaml", "drafts/c.yaml"]),
        ("'docs/**/a.yaml'", ["a.yaml", "docs/deep/b.yaml", "drafts/c.yaml"]),
        ("'?.yaml'", []),
        ("'d*/?.yaml'", ["a.yaml", "docs/deep/b.yaml"]),
        ("drafts, docs", ["a.yaml"]),
    ])
    func excludedFilesAreNotRead(_ pattern: String, _ files: [String]) async {
        let folder = Self.folder(exclude: pattern)
        for (name, channel) in [("a", "A"), ("docs/a", "B"), ("docs/deep/b", "C"), ("drafts/c", "D")] {
            folder.write(name + ".yaml", Self.channel(channel))
        }
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.files.filter { $0 != "bugle.yaml" } == files)
    }

    @Test func theWorkspacesOwnFileCannotBeExcluded() async {
        let loaded = await Self.folder(exclude: "'*.yaml'").load()
        #expect(loaded.workspace?.name == "giants")
    }

    @Test func anExcludedLinkIsNotFollowed() async {
        let folder = Self.folder(exclude: "out")
        folder.link("out", to: "/")
        #expect(await folder.load().diagnostics == [])
    }

    @Test func aFileOver1MiBIsRefused() async {
        let folder = Self.folder()
        folder.write("a.yaml", "kind: Channel\nname: a\n#" + String(repeating: "x", count: 1 << 20))
        #expect(await folder.load().diagnostics.map(\.code) == [.limitExceeded])
    }

    @Test func aFolderWithoutBugleYAMLIsNoWorkspace() async {
        let folder = TemporaryFolder()
        let loaded = await WorkspaceLoader.load(directory: folder.path, displayedAs: "here")
        #expect(loaded.workspace == nil)
        #expect(
            loaded.diagnostics.map(SampleFiles.line) == ["error: there is no bugle.yaml in 'here' [workspace-document]"]
        )
    }

    @Test func aFolderThatDoesNotExistIsSaid() async {
        let folder = TemporaryFolder()
        let loaded = await WorkspaceLoader.load(directory: folder.path + "/none", displayedAs: "none")
        #expect(loaded.workspace == nil)
        #expect(loaded.diagnostics.map(\.code) == [.unreadable])
    }
}

/// Which folder a command works on.
@Suite struct WorkspaceFinderTests {
    @Test func theCurrentFolderComesFirst() throws {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", "")
        folder.write("campaigns/bugle.yaml", "")
        let found = try WorkspaceFinder.find(chosen: nil, from: folder.path)
        #expect(found == WorkspaceFinder.Location(directory: folder.path, displayName: "."))
    }

    @Test func theFolderCampaignsComesNext() throws {
        let folder = TemporaryFolder()
        folder.write("campaigns/bugle.yaml", "")
        let found = try WorkspaceFinder.find(chosen: nil, from: folder.path)
        #expect(found == WorkspaceFinder.Location(directory: folder.path + "/campaigns", displayName: "campaigns"))
    }

    @Test func withoutEitherBothAreNamed() {
        let folder = TemporaryFolder()
        let error = #expect(throws: Diagnostic.self) {
            try WorkspaceFinder.find(chosen: nil, from: folder.path)
        }
        #expect(error?.message == "there is no bugle.yaml in '.' and none in './campaigns'")
    }

    @Test func twoWorkspacesCannotHaveOneName() throws {
        let folder = TemporaryFolder()
        folder.write("caf\u{e9}/bugle.yaml", "")
        folder.write("deep/cafe\u{301}/bugle.yaml", "")
        #expect(try WorkspaceFinder.all(below: folder.path).count == 2)
        folder.write("cafe\u{301}/bugle.yaml", "")
        let error = #expect(throws: Diagnostic.self) { try WorkspaceFinder.all(below: nil, from: folder.path) }
        #expect(error?.message.hasPrefix("two folders with a bugle.yaml are called") == true)
    }

    @Test func aChosenFolderIsTheOnlyOneTried() throws {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", "")
        folder.write("deep/work/bugle.yaml", "")
        let relative = try WorkspaceFinder.find(chosen: "deep/work", from: folder.path)
        #expect(relative == WorkspaceFinder.Location(directory: folder.path + "/deep/work", displayName: "deep/work"))
        let absolute = try WorkspaceFinder.find(chosen: folder.path + "/deep/work", from: folder.path + "/deep")
        #expect(absolute.displayName == "work")
        let above = try WorkspaceFinder.find(chosen: folder.path, from: folder.path + "/deep/work")
        #expect(above.displayName == "../..")
        let error = #expect(throws: Diagnostic.self) {
            try WorkspaceFinder.find(chosen: "deep", from: folder.path)
        }
        #expect(error?.message == "there is no bugle.yaml in 'deep'")
    }
}
