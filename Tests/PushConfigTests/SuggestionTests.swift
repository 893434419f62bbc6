import Diagnostics
import Testing

@testable import struct PushConfig.Glob

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
}
