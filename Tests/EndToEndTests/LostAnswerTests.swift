import PushServer
import Testing

/// The push's answer is lost in every way; every device gets it once.
@Suite struct LostAnswerTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": .campaign("one")]

    @Test(arguments: [
        ("drop-response", nil), ("reset", nil), ("delay", 600), ("status", 503), ("status", 500), ("status", 408),
    ])
    func anAcceptedPushWhoseAnswerIsLostIsFoundAndNotSentAgain(fault: String, value: Double?) async throws {
        // Only an answer that does not come is waited for in vain.
        try await World.run(Self.files, timeout: fault == "delay" ? "20s" : "60s") { world in
            try await world.devices(2)
            try await world.fault(fault, value: value)
            let run = try await world.apply()
            #expect(try await world.inbox("d0") == ["one": 1], "\(run.everything)")
            #expect(try await world.ledger() == ["one": "sent"])
            #expect(try await world.bugle("plan", "--detailed-exitcode").status == 0)
        }
    }

    @Test func aPushThatNeverArrivedIsSentOnce() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(2)
            try await world.fault("close")
            let run = try await world.apply()
            #expect(try await world.inbox("d0") == ["one": 1], "\(run.everything)")
        }
    }

    @Test(arguments: ["/1.1/classes/BugleLedger"], [1, 2])
    func aLedgerWriteWhoseAnswerIsLostSendsNothingTwice(path: String, nth: Int) async throws {
        try await World.run(Self.files) { world in
            try await world.devices(2)
            try await world.fault("drop-response", "*", path, nth: nth)
            _ = try await world.apply(expecting: nil)
            world.advance(.seconds(130))
            try await world.apply()
            #expect(try await world.inbox("d1") == ["one": 1])
            #expect(try await world.bugle("plan", "--detailed-exitcode").status == 0)
        }
    }

    @Test func aRateLimitIsWaitedOut() async throws {
        let files = ["a.yaml": String.giants, "one.yaml": .campaign("one"), "two.yaml": .campaign("two")]
        try await World.run(files, pushesPerMinute: 1) { world in
            try await world.devices(1)
            // The minute must be over before the second push: the clock is put forward as soon as one was refused.
            world.onRequest { request, instant in
                if request.path == "/1.1/push", instant == .beforeAnswering { world.advance(.seconds(61)) }
            }
            let run = try await world.apply()
            #expect(run.status == 0, "\(run.everything)")
            #expect(try await world.inbox("d0") == ["one": 1, "two": 1])
        }
    }
}
