import Base
import Testing

@Suite struct PoolTests {
    @Test func thingsAreLentInTheOrderOfAskingAndTakenBack() async {
        let pool = Pool(["a"])
        #expect(await pool.take() == "a")
        let first = Task { await pool.take() }
        #expect(await pool.take(within: .milliseconds(1)) == nil)
        pool.giveBack("a")
        #expect(await first.value == "a")
    }

    @Test func whoIsCancelledLeavesTheLine() async throws {
        let pool = Pool(places: 1)
        try await pool.takeUnlessCancelled()
        let leaver = Task { try await pool.takeUnlessCancelled() }
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        let waiter = Task { try await pool.takeUnlessCancelled() }
        pool.giveBack(())
        try await waiter.value
        pool.giveBack(())
        try await pool.takeUnlessCancelled()
    }

    @Test func aClosedPoolSendsEverybodyAwayAndDropsWhatComesBack() async {
        let pool = Pool([1, 2])
        #expect(await pool.take() == 2)
        #expect(pool.close() == [1])
        #expect(await pool.take() == nil)
        pool.giveBack(2)
        #expect(pool.close().isEmpty)
    }
}
