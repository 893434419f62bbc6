import Base
import RemoteTesting
import Testing

@testable import Push

/// The file of approvals is read strictly: what it does not say clearly is an error with its place.
@Suite struct ApprovalFileTests {
    private static let approval =
        #"{"person":"bob","teams":["marketing"],"tree":"\#(ApprovalWorld.tree)","at":"2026-11-20T12:00:00Z","dismissed":false}"#

    private static func text(_ approvals: String = approval, authors: String = #"["carol"]"#) -> String {
        #"{"formatVersion":"1.0","authors":\#(authors),"approvals":[\#(approvals)]}"#
    }

    private static func problem(_ text: String) -> String? {
        do throws(RecordError) {
            _ = try ApprovalFile.read(Array(text.utf8))
            return nil
        } catch {
            return error.text()
        }
    }

    @Test func aFileIsRead() throws {
        let file = try ApprovalFile.read(Array(Self.text().utf8))
        #expect(
            file
                == ApprovalFile(authors: ["carol"], approvals: [ApprovalWorld.approval("bob", teams: ["marketing"])]))
        #expect(try ApprovalFile.read(ApprovalFile.record.json(of: file).bytes) == file)
    }

    @Test(arguments: [
        ("", "not JSON"), ("[]", "wrong type"), ("{}", "formatVersion is missing"),
        (#"{"formatVersion":"2.0"}"#, "formatVersion"), (#"{"formatVersion":1}"#, "formatVersion has the wrong type"),
        (#"{"formatVersion":"1.0","approvals":[]}"#, "authors is missing"),
        (text(authors: "[]"), "authors names nobody"), (text(authors: #""carol""#), "authors has the wrong type"),
        (text(authors: #"["carol",7]"#), "authors[1] has the wrong type"),
        (text(authors: #"[""]"#), "authors[0] is no name"),
        (text(authors: #"["a b"]"#), "authors[0] is no name"), (text("{}"), "approvals[0].person is missing"),
        (text("7"), "approvals[0] has the wrong type"),
        (text(approval + "," + approval.replacing("bob", with: "a\\u00a0b")), "approvals[1].person is no name"),
        (text(approval.replacing("\"dismissed\"", with: "\"dismised\"")), "approvals[0].dismissed is missing"),
        (text(approval.replacing("false", with: "\"false\"")), "approvals[0].dismissed has the wrong type"),
        (text(approval.replacing("false", with: "null")), "approvals[0].dismissed is null"),
        (text(approval.replacing("[\"marketing\"]", with: "\"marketing\"")), "approvals[0].teams has the wrong type"),
        (text(approval.replacing("aaaa\"", with: "\"")), "approvals[0].tree is no hash of git"),
        (text(approval.replacing("2026-11-20T12:00:00Z", with: "yesterday")), "approvals[0].at"),
        // The first of two would win without a word.
        (text(approval.replacing("\"dismissed\"", with: "\"dismissed\":true,\"dismissed\"")), "has a name twice"),
        (text().replacing("\"authors\"", with: "\"authors\":[\"x\"],\"authors\""), "has a name twice"),
        (text(String(repeating: "[", count: 100)), "nested too deeply"),
        (
            text(authors: "[" + String(repeating: "\"a\",", count: 1000) + "\"a\"]"),
            "authors has more than 1000 elements"
        ),
        (text() + String(repeating: " ", count: ApprovalFile.mostBytes), "too long"),
    ])
    func whatIsNotClearIsAnErrorWithItsPlace(_ text: String, _ problem: String) {
        let found = Self.problem(text)
        #expect(found?.contains(problem) == true, "\(found ?? "read")")
    }

    @Test func aHashOfEitherKindIsTaken() {
        #expect(
            Self.problem(
                Self.text(Self.approval.replacing(ApprovalWorld.tree, with: String(repeating: "0", count: 64)))) == nil)
        #expect(Self.problem(Self.text(Self.approval.replacing("\"\(ApprovalWorld.tree)\"", with: "null"))) == nil)
    }
}
