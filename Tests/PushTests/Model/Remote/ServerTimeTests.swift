import Push
import Synchronization
import Testing

@Suite struct ServerTimeTests {
    /// What elapses, of a machine that stands still now and then.
    private final class Machine: Sendable {
        private let passed = Mutex(Duration.zero)

        var elapsed: Duration { passed.withLock { $0 } }
        var server: Instant { Instant(seconds: 1_800_000_000) + elapsed }

        func stand(for duration: Duration) { passed.withLock { $0 += duration } }
    }

    @Test func itGoesOnFromTheLook() async {
        let machine = Machine()
        let time = await ServerTime(elapsed: { machine.elapsed }, { machine.server })
        machine.stand(for: .seconds(90))
        #expect(time.now == machine.server)
        #expect(time.elapsed(at: machine.server + .seconds(5)) == .seconds(95))
    }

    @Test(arguments: [1, 2])
    func aLookInWhichTheMachineStoodStillIsRepeated(_ pauses: Int) async {
        let machine = Machine()
        let looks = Mutex(0)
        let time = await ServerTime(elapsed: { machine.elapsed }) {
            let answer = machine.server
            // The answer is here, and nobody reads it for long.
            if looks.withLock({
                $0 += 1; return $0
            }) <= pauses {
                machine.stand(for: .seconds(400))
            }
            return answer
        }
        #expect(time.now == machine.server)
    }
}
