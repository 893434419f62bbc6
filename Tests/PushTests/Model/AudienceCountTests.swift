import Push
import Testing

@Suite struct AudienceCountTests {
    @Test func oneHundredThousandNamesLeaveTheFiftyLargestAndARest() {
        var counts = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("Zone/\($0)", 1) })
        for index in 0..<49 { counts["Large/\(index)"] = 10 + index }
        counts[""] = 5
        let largest = AudienceCount.largest(counts)
        #expect(largest.count == 50)
        #expect(largest[""] == 5)
        #expect(largest["Large/0"] == 10)
        let all = counts.values.reduce(0, +)
        let explanation = AudienceCount(devices: all, timeZones: largest)
        #expect(explanation.otherTimeZones == 100_000)
        // Of equally large ones the same are chosen every time.
        #expect(
            AudienceCount.largest(["c": 1, "a": 1, "b": 0].merging((0..<60).map { ("z\($0)", 1) }) { $1 })
                == AudienceCount.largest(
                    ["b": 0, "a": 1, "c": 1].merging((0..<60).reversed().map { ("z\($0)", 1) }) { $1 }))
    }

    @Test(arguments: [
        ("Asia/Shanghai", true), ("America/Argentina/ComodRivadavia", true), ("", true), ("上海", true),
        (String(repeating: "z", count: 64), true), (String(repeating: "z", count: 65), false),
        // Such a name may be a device token.
        (String(repeating: "aB3", count: 11), false), (String(repeating: "0", count: 64), false),
        (String(repeating: "ab", count: 15), true), (String(repeating: "ab", count: 16) + "-", true),
    ])
    func namesAreShortAndNoTokens(_ name: String, _ isName: Bool) {
        #expect(AudienceCount.isName(name) == isName)
        #expect(AudienceCount.largest([name: 1]).isEmpty != isName)
    }

    @Test func whatIsLeftOverIsOfOtherNames() {
        var explanation = AudienceCount(
            devices: 100, platforms: ["ios": 90], deviceProfiles: ["driver": 100], timeZones: ["Asia/Shanghai": 7],
            timeZoneSample: 10, leftOut: [.invalid: 2, .stale: 3])
        #expect(explanation.otherPlatforms == 10)
        #expect(explanation.otherDeviceProfiles == 0)
        #expect(explanation.otherTimeZones == 3)
        // Counts that were made one after the other need not add up.
        explanation.platforms["android"] = 20
        #expect(explanation.otherPlatforms == 0)
    }
}
