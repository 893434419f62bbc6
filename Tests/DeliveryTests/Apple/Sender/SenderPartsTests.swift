internal import Testing

@testable internal import Delivery

/// The parts that decide how fast is sent.
struct SenderPartsTests {
    @Test
    func aThrottleLetsThroughSoManyASecondEvenly() {
        let start = ContinuousClock.now
        var throttle = Throttle(perSecond: 100, at: start)
        #expect(throttle.take(1000, at: start) == 10)
        #expect(throttle.take(1, at: start) == 0)
        #expect(throttle.patience > .milliseconds(9) && throttle.patience < .milliseconds(11))
        var taken = 0
        for step in 1...100 { taken += throttle.take(1000, at: start + .milliseconds(10 * step)) }
        #expect((99...100).contains(taken))
        // Idleness saves up a tenth of a second's, no more.
        #expect(throttle.take(1000, at: start + .seconds(100)) == 10)
        throttle.giveBack(4)
        #expect(throttle.take(1000, at: start + .seconds(100)) == 4)
    }

    @Test
    func aThrottleOfOneASecondStillLetsThrough() {
        let start = ContinuousClock.now
        var throttle = Throttle(perSecond: 1, at: start)
        #expect(throttle.take(5, at: start) == 1)
        #expect(throttle.take(5, at: start + .milliseconds(900)) == 0)
        #expect(throttle.take(5, at: start + .milliseconds(1001)) == 1)
    }

    @Test
    func badRequestsNarrowTheWindowAndOthersWidenIt() {
        var window = StreamWindow(maximum: 160)
        #expect(window.limit == 160)
        for _ in 0..<3 { window.note(status: 400) }
        #expect(window.limit < 110)
        for _ in 0..<100 { window.note(status: 400) }
        #expect(window.limit == 20)
        for _ in 0..<2000 { window.note(status: 200) }
        #expect(window.limit == 160)
        for status in [410, 500, 503] { window.note(status: status) }
        #expect(window.limit == 160)
    }

    @Test
    func connectionsThatBreakOffAreTrustedWithFewUntilTheyHold() {
        var trust = StreamTrust(maximum: 200)
        for _ in 0..<1000 { trust.noteAnswer() }
        #expect(trust.streams == 200)
        trust.noteLoss()
        #expect(trust.streams == 50)
        for _ in 0..<5 { trust.noteLoss() }
        #expect(trust.streams == 4)
        for _ in 0..<63 { trust.noteAnswer() }
        #expect(trust.streams == 4)
        trust.noteAnswer()
        #expect(trust.streams == 8)
        for _ in 0..<10_000 { trust.noteAnswer() }
        #expect(trust.streams == 200)
        var single = StreamTrust(maximum: 1)
        single.noteLoss()
        #expect(single.streams == 1)
    }

    @Test
    func pausesDoubleAndAreNotAlike() {
        let retries = PushSender.Retries(pause: .seconds(1))
        for failures in 1...6 {
            let pauses = (0..<20).map { _ in retries.pause(after: failures) }
            let middle = Duration.seconds(1 << (failures - 1))
            #expect(
                pauses.allSatisfy { $0 >= min(middle, .seconds(60)) * 0.66 && $0 <= min(middle, .seconds(60)) * 1.34 })
            #expect(Set(pauses).count > 1)
        }
        #expect(retries.pause(after: 1000) <= .seconds(80))
    }

    @Test
    func anIDIsAUUIDOfVersionEight() {
        let id = APNsID(delivery: "d", token: "ab")
        #expect(id == APNsID(delivery: "d", token: "ab") && id != APNsID(delivery: "d", token: "ac"))
        // SHA-256 of "d", a line feed, "ab": a delivery that goes on with another version of bugle has the same ids.
        #expect(id.text == "d873cdf8-dc5f-819e-aa2b-05085215c838")
        let ids = APNsIDs(delivery: "d")
        #expect(ids.id(for: "ac") != id && ids.id(for: "ab") == id)
        let parts = id.text.split(separator: "-").map(String.init)
        #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
        #expect(parts[2].first == "8" && "89ab".contains(parts[3].first ?? " "))
        #expect(id.text == id.text.lowercased())
    }
}
