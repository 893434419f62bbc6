import Diagnostics
import PushConfig
import Testing

/// Typical mistakes, each with everything that is said about it: place, code, sentence and help.
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

    @Test(arguments: schedules + campaigns) func aMistakeInACampaignIsSaid(_ mistake: Mistake) async {
        await expect(mistake, Sample.workspace, mistake.text(in: Self.campaign))
    }

    @Test(arguments: workspaces) func aMistakeInTheWorkspaceIsSaid(_ mistake: Mistake) async {
        await expect(mistake, mistake.text(in: Sample.workspace), nil)
    }

    @Test(arguments: files) func aMistakeInAnotherFileIsSaid(_ mistake: Mistake) async {
        await expect(mistake, Sample.workspace, mistake.text(in: ""))
    }

    @Test func theTableHasTheTypicalMistakesOnce() {
        let all = Self.schedules + Self.campaigns + Self.workspaces + Self.files
        #expect(all.count >= 130)
        #expect(Set(all.map { [$0.part, $0.replacement] }).count == all.count)
    }

    private func expect(_ mistake: Mistake, _ workspace: String, _ file: String?) async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", workspace)
        folder.write("resources.yaml", Sample.resources)
        if let file { folder.write("x.yaml", file) }
        let said = await folder.load().diagnostics.sortedForPrinting().flatMap { diagnostic in
            let start = diagnostic.range?.start
            let place = "\(start?.line ?? 0):\(start?.column ?? 0)"
            return ["\(place) \(diagnostic.code.rawValue): \(diagnostic.message)"]
                + (diagnostic.help.map { [$0] } ?? [])
        }
        #expect(said == mistake.said)
    }
}
