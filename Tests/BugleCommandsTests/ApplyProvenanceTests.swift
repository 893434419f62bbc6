import Push
import Testing

@testable import BugleCommands

@Suite struct ApplyProvenanceTests {
    /// Some programs give git milliseconds, and git takes any number.
    @Test(arguments: ["253402300800", "1795262400000", "9223372036854775807", "18446744073709551615", "-1", ""])
    func aCommitOfAnImpossibleTimeHasNone(seconds: String) {
        #expect(ApplyProvenance.time(seconds) == nil)
    }

    @Test(arguments: [("0", "1970-01-01T00:00:00Z"), ("253402300799", "9999-12-31T23:59:59Z")])
    func theTimeOfACommitCanBeRecorded(seconds: String, text: String) throws {
        let time = try #require(ApplyProvenance.time(seconds))
        #expect(time.text == text)
        #expect(Instant(time.isoText) == time)
    }
}
