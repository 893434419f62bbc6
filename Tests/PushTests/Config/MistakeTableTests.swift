import Base
import Testing

@testable import Push

/// Typical mistakes, each with everything that is said about it: place, code, sentence and help. `MistakenCommandTests` has
/// those of commands.
@Suite struct MistakeTableTests {
    /// A mistake: a part of a valid file, what somebody writes instead (without a part, at its end), and what is said.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let part: String
        let replacement: String
        let said: [String]

        init(_ part: String, _ replacement: String, _ said: String...) {
            (self.part, self.replacement, self.said) = (part, replacement, said)
        }

        var testDescription: String { replacement }

        func text(in valid: String) -> String {
            precondition(part.isEmpty || valid.contains(part))
            return part.isEmpty ? valid + replacement : valid.replacing(part, with: replacement)
        }
    }

    /// A campaign without a mistake.
    static let campaign = """
        kind: Campaign
        name: score
        audience:
          channels: [Giants]
        message:
          body: Giants won
        expiration: {after: 7d}

        """

    @Test(arguments: schedules + campaigns + syntax) func aMistakeInACampaignIsSaid(_ mistake: Mistake) async {
        await expect(mistake, SampleFiles.workspace, mistake.text(in: Self.campaign))
    }

    @Test(arguments: workspaces + addresses) func aMistakeInTheWorkspaceIsSaid(_ mistake: Mistake) async {
        await expect(mistake, mistake.text(in: SampleFiles.workspace), nil as String?)
    }

    @Test(arguments: files + wholes) func aMistakeInAnotherFileIsSaid(_ mistake: Mistake) async {
        await expect(mistake, SampleFiles.workspace, mistake.text(in: ""))
    }

    @Test func theTableHasTheTypicalMistakesOnce() {
        let all = [
            Self.schedules, Self.campaigns, Self.syntax, Self.workspaces, Self.addresses, Self.files, Self.wholes,
        ].flatMap(\.self)
        #expect(all.count >= 160)
        #expect(Set(all.map { [$0.part, $0.replacement] }).count == all.count)
    }

    @Test func anEncodingIsSaidAndLineBreaksAndAMarkAreNone() async {
        let text = Self.campaign
        await expect(
            Mistake(
                "", "", "1:1 encoding: the file is encoded in UTF-16, but only UTF-8 is read", "save the file as UTF-8"),
            SampleFiles.workspace, [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        await expect(
            Mistake("", ""), SampleFiles.workspace, [0xEF, 0xBB, 0xBF] + text.replacing("\n", with: "\r\n").utf8)
    }

    /// The suggestions of the table would mislead if a field had another name.
    @Test func everyFieldThatIsSuggestedExists() {
        let reference = DocumentKind.allCases.map(\.description)
        for (word, path) in Mistakes.fields {
            var map = reference.first { path.hasPrefix($0.name + ".") }
            for name in path.split(separator: ".").dropFirst() where name != "<name>" {
                let field = map?.fields.first { $0.name == name }
                #expect(field != nil, "\(word): \(path)")
                map = field?.type.maps.first
            }
        }
    }

    private func expect(_ mistake: Mistake, _ workspace: String, _ file: String?) async {
        await expect(mistake, workspace, file.map { Array($0.utf8) })
    }

    private func expect(_ mistake: Mistake, _ workspace: String, _ file: [UInt8]?) async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", workspace)
        folder.write("resources.yaml", SampleFiles.resources)
        if let file { folder.write("x.yaml", bytes: file) }
        let said = await folder.load().diagnostics.sortedForPrinting().flatMap { diagnostic in
            let start = diagnostic.range?.start
            let place = "\(start?.line ?? 0):\(start?.column ?? 0)"
            return ["\(place) \(diagnostic.code.rawValue): \(diagnostic.message)"]
                + (diagnostic.help.map { [$0] } ?? [])
        }
        #expect(said == mistake.said)
    }
}
