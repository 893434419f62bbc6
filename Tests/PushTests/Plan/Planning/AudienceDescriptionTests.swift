import Base
import Push
import RemoteTesting
import Testing

@Suite struct AudienceDescriptionTests {
    @Test(arguments: [
        (Audience(everyone: true), "everyone"), (Audience(channels: ["Giants"]), "channel Giants"),
        (Audience(channels: ["Giants", "Mets", "As"]), "channels Giants, Mets or As"),
        (Audience(segments: ["vip"]), "segment vip"), (Audience(segments: ["vip", "new"]), "segments vip and new"),
        (
            Audience(channels: ["Giants"], condition: ["scores": true]), "channel Giants, where scores = true"
        ),
        (
            Audience(condition: ["age": ["$gte": 18, "$lt": 30], "city": ["$ne": "x"]]),
            "where age ≥ 18 and age < 30 and city ≠ \"x\""
        ),
        (
            Audience(condition: ["place": ["$near": ["a": 1]]]), "where place {\"$near\":{\"a\":1}}"
        ),
        (
            Audience(everyone: true, platforms: [.android, .ios], deviceProfile: "main"),
            "everyone, on ios or android, deviceProfile main"
        ),
        (Audience(condition: ["a": ["$in": [1, 2]]]), "where a in [1,2]"),
        (
            Audience(condition: ["$or": [["a": 1], ["b": ["$lt": 2], "c": "x"]], "d": true]),
            "where (a = 1 or b < 2 and c = \"x\") and d = true"
        ),
    ])
    func anAudienceInWords(audience: Audience, words: String) {
        #expect(audience.words == words)
    }

    @Test func listedDevicesAreCountedAndHashedNeverShown() {
        let words = Audience(platforms: [.ios], devices: ["tokenA", "tokenB"]).words
        #expect(words.hasPrefix("2 listed devices (ios), sha256:"))
        #expect(!words.contains("token"))
        #expect(Audience(platforms: [.ios], devices: ["tokenA"]).words.hasPrefix("1 listed device (ios), sha256:"))
    }
}

extension Audience {
    /// The description as a plan shows it.
    fileprivate var words: String {
        let audience = self
        let plan = Ledger.plan(Sample.workspace([Sample.campaign("score") { $0.audience = audience }]))
        return plan.changes.first?.audience?.description.text ?? ""
    }
}
