import Testing

@testable import DeviceRegistry

@Suite struct NameTallyTests {
    @Test func aHundredThousandNamesTakeBoundedMemoryAndHideNoLargeOne() {
        var tally = NameTally()
        var most = 0
        for index in 0..<100_000 {
            tally.add("Zone/\(index)")
            if index % 3 == 0 { tally.add("Asia/Shanghai") }
            if index % 10 == 0 { tally.add("") }
            most = max(most, tally.counts.count)
        }
        #expect(most <= 16_384)
        #expect(tally.counts["Asia/Shanghai"] == 33_334)
        #expect(tally.counts[""] == 10_000)
        #expect(tally.counts.values.reduce(0, +) <= 143_334)
    }

    @Test func fewNamesAreExact() {
        var tally = NameTally()
        for index in 0..<50_000 { tally.add("Zone/\(index % 10_000)") }
        #expect(tally.counts.count == 10_000)
        #expect(tally.counts.values.allSatisfy { $0 == 5 })
    }
}
