import Base
import Testing

@testable import struct Push.Glob

/// What somebody probably meant.
@Suite struct SuggestionTests {
    @Test(arguments: [
        ("chanels", "channels"), ("Channels", "channels"), ("chnanels", "channels"), ("chann", nil),
        ("everyne", "everyone"), ("x", nil), ("", nil), ("wher", "where"), ("whree", "where"),
        ("segement", "segments"), ("deviceprofile", "deviceProfile"),
    ])
    func theNearestIsSuggested(_ text: String, _ wanted: String?) {
        let names = ["everyone", "channels", "segments", "where", "platforms", "deviceProfile", "devices"]
        #expect(Suggestion.nearest(to: text, among: names) == wanted)
    }

    @Test func ofEquallyNearOnesTheFirstIsSuggested() {
        #expect(Suggestion.nearest(to: "cat", among: ["bat", "rat"]) == "bat")
    }

    @Test func manyStarsTakeNoMoreThanASquare() {
        let pattern = String(repeating: "*a", count: 200) + "b"
        #expect(!Glob(pattern).matches(String(repeating: "a", count: 5000)))
    }

    @Test(.timeLimit(.minutes(10))) func manyFoldersOfAnyNumberTakeNoMoreThanASquare() {
        let pattern = String(repeating: "**/a/", count: 200)
        #expect(!Glob(pattern + "b").matches(Array(repeating: "a", count: 2000).joined(separator: "/")))
        #expect(Glob(pattern + "b").matches(Array(repeating: "a", count: 2000).joined(separator: "/") + "/b"))
    }

    @Test(arguments: [
        ("a/**", "a", false), ("a/**", "a/b", true), ("a/**", "a/b/c", true), ("**/a", "a", true),
        ("**/a", "b/c/a", true), ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**/b", "a/x/y", false),
        ("a/**/b/**/c", "a/b/b/c/c", true), ("a/**/b/*", "a/b/b/c", true), ("**/x/**/y", "x/y/x/z", false),
    ])
    func twoStarsStandForAnyNumberOfFolders(_ pattern: String, _ path: String, _ fits: Bool) {
        #expect(Glob(pattern).matches(path) == fits)
    }
}
