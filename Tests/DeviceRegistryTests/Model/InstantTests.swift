import DeviceRegistry
import Push
import Testing

@Suite struct InstantTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_434_909_772_249, "2015-06-21T18:02:52.249Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_868_799_000, "2000-02-29T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func millisecondsAndTextAreTheSameInstant(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).isoText == text)
        #expect(Instant(iso: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        ("2015-10-07T00:51:13Z", "2015-10-07T00:51:13.000Z"), ("2015-10-07T08:51:13+08:00", "2015-10-07T00:51:13.000Z"),
        ("2015-10-06T19:21:13.5-0530", "2015-10-07T00:51:13.500Z"),
        ("2015-10-07t00:51:13.123456z", "2015-10-07T00:51:13.123Z"),
    ])
    func otherSpellingsAreRead(text: String, normal: String) {
        #expect(Instant(iso: text)?.isoText == normal)
    }

    @Test(arguments: [
        "", "2015", "2015-02-29T00:00:00Z", "2015-13-01T00:00:00Z", "2015-00-01T00:00:00Z", "2015-10-07T24:00:00Z",
        "2015-10-07T00:60:00Z", "2015-10-07T00:00:00", "2015-10-07T00:00:00.Z", "2015-10-07T00:00:00Z ",
        "2015-10-07 00:00:00+25:00", "٢٠١٥-10-07T00:00:00Z",
    ])
    func textsThatAreNoInstantAreRefused(text: String) {
        #expect(Instant(iso: text) == nil)
    }
}
