import Base
import Testing

@Suite struct BackoffTests {
    @Test func pausesDoubleUpToTheLongest() {
        let backoff = Backoff(first: .milliseconds(500), longest: .seconds(3))
        #expect((0...5).map(backoff.pause) == [0.5, 0.5, 1, 2, 3, 3].map { .seconds($0) })
        #expect(backoff.pause(after: .max) == .seconds(3))
    }

    @Test func pausesWithJitterStayInItsRange() {
        let backoff = Backoff(first: .seconds(1), longest: .seconds(60), jitter: 0.5...1)
        let pauses = (0..<50).map { _ in backoff.pause(after: 3) }
        #expect(pauses.allSatisfy { (.seconds(2) ... .seconds(4)).contains($0) })
        #expect(Set(pauses).count > 1)
    }
}
