internal import CLibrary
// The overlay on Linux does not say that its sources are Sendable.
@unsafe @preconcurrency internal import Dispatch
internal import Synchronization

/// Lends each of its things to one task at a time; tasks that find none wait, and are served first come, first served.
public final class Pool<Thing: Sendable>: Sendable {
    private struct State {
        var free: [Thing]
        var isClosed = false
        var lastTicket = 0
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Thing?, Never>)] = []
    }

    private let state: Mutex<State>

    /// A pool of these things.
    public init(_ things: [Thing]) {
        state = Mutex(State(free: things))
    }

    /// Borrows the thing that was given back last; each goes back with ``giveBack(_:)``.
    ///
    /// - Parameter patience: how long to wait; nil: as long as it takes.
    /// - Returns: nil when none became free in time, or the pool is closed.
    @discardableResult
    public func take(within patience: Duration? = nil) async -> Thing? {
        await take(newTicket(), within: patience) { false }
    }

    /// As ``take(within:)``, but a cancelled task leaves the line.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, or the pool is closed.
    @discardableResult
    public func takeUnlessCancelled() async throws -> Thing {
        guard let thing = await takeUnlessCancelled(within: nil) else { throw CancellationError() }
        return thing
    }

    /// As ``take(within:)``, but a cancelled task leaves the line with nothing.
    public func takeUnlessCancelled(within patience: Duration?) async -> Thing? {
        let ticket = newTicket()
        return await withTaskCancellationHandler {
            await take(ticket, within: patience) { Task.isCancelled }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Returns a thing, which goes to the one that has waited longest.
    public func giveBack(_ thing: Thing) {
        let next = state.withLock { state -> CheckedContinuation<Thing?, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            if !state.isClosed { state.free.append(thing) }
            return nil
        }
        next?.resume(returning: thing)
    }

    /// Sends everybody away, now and later.
    ///
    /// - Returns: the things that nobody has; the others are dropped when they are given back.
    public func close() -> [Thing] {
        let (free, waiting) = state.withLock { state in
            defer { (state.isClosed, state.free, state.waiting) = (true, [], []) }
            return (state.free, state.waiting)
        }
        for (_, continuation) in waiting { continuation.resume(returning: nil) }
        return free
    }

    /// Tickets are never used again: it does no harm when one leaves the line that was served before.
    private func newTicket() -> Int {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    private func take(_ ticket: Int, within patience: Duration?, unless isOver: () -> Bool) async -> Thing? {
        await withCheckedContinuation { continuation in
            let answer: Thing?? = state.withLock { state in
                // Asked under the lock: whoever is cancelled later is found in the line.
                if state.isClosed || isOver() { return .some(nil) }
                if let thing = state.free.popLast() { return thing }
                state.waiting.append((ticket, continuation))
                return nil
            }
            if let answer { return continuation.resume(returning: answer) }
            guard let patience else { return }
            Task { [self] in
                try? await Task.sleep(for: patience)
                leave(ticket)
            }
        }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(returning: nil)
    }
}

extension Pool<Void> {
    /// A pool of so many places.
    public convenience init(places: Int) {
        self.init(Array(repeating: (), count: places))
    }
}

/// Waits between attempts; a protocol so that tests do not wait.
public protocol Pausing: Sendable {
    /// Waits for the duration, or until the task is cancelled.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func pause(for duration: Duration) async throws(CancellationError)

    /// The wait before the next attempt, after this many.
    func backoff(_ tries: Int) -> Duration
}

extension Pausing {
    /// 1 s, doubled each time up to 30 s, half of it random.
    public func backoff(_ tries: Int) -> Duration {
        Backoff(first: .milliseconds(500), longest: .seconds(30), jitter: 0.5...1).pause(after: tries + 1)
    }
}

/// Waits in real time.
public struct TaskPause: Pausing, Sendable {
    /// Creates a pause.
    public init() {}

    /// Waits, unless the task is cancelled.
    public func pause(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw CancellationError()
        }
    }
}

/// The pauses between tries: each twice as long as the one before, up to a limit.
public struct Backoff: Hashable, Sendable {
    /// The first pause.
    public let first: Duration
    /// The longest pause.
    public let longest: Duration
    private let jitter: ClosedRange<Double>?

    /// Pauses from `first` to `longest`, each multiplied by a random number in `jitter`, so that callers spread out.
    public init(first: Duration, longest: Duration, jitter: ClosedRange<Double>? = nil) {
        self.first = first
        self.longest = longest
        self.jitter = jitter
    }

    /// The pause after so many failures in a row, counted from 1.
    public func pause(after failures: Int) -> Duration {
        let pause = min(longest, first * (1 << min(max(0, failures - 1), 20)))
        return jitter.map { pause * Double.random(in: $0) } ?? pause
    }
}

/// Says that a run shall end: nothing new starts, what is in flight ends, a wait ends at once.
public final class StopSignal: Sendable {
    private let raised = Atomic<Bool>(false)

    /// Creates a signal that is not raised.
    public init() {}

    /// True if the run is to end.
    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Asks the run to end; asking again changes nothing.
    public func raise() { raised.store(true, ordering: .releasing) }
}

/// Waits in real time, but only until the signal is raised.
public struct StoppablePause: Pausing, Sendable {
    private let stop: StopSignal

    /// Creates a pause that ends when the signal is raised.
    public init(_ stop: StopSignal) { self.stop = stop }

    /// Waits, unless the task is cancelled.
    public func pause(for duration: Duration) async throws(CancellationError) {
        let end = ContinuousClock.now + duration
        // A signal handler can only set a flag, so the flag is polled ten times a second.
        while ContinuousClock.now < end {
            if stop.isRaised { throw CancellationError() }
            do {
                try await Task.sleep(until: min(end, .now + .milliseconds(100)), clock: .continuous)
            } catch {
                throw CancellationError()
            }
        }
    }
}

/// Signals that the program takes over from the system, which would end the process.
public struct SignalArrivals: Sendable {
    /// An element for each arrival.
    public let arrivals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Takes over the signals with these numbers, such as `SIGHUP`.
    public init(_ numbers: [Int32]) {
        let (arrivals, announce) = AsyncStream<Void>.makeStream()
        self.arrivals = arrivals
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { announce.yield() }
            source.resume()
            return source
        }
    }

    /// Listens no more; the signals are ignored from now on.
    public func end() { sources.forEach { $0.cancel() } }
}

/// Waits for SIGTERM or SIGINT.
public struct StopSignals {
    private static let numbers = [SIGTERM, SIGINT]
    private let signals = SignalArrivals(numbers)

    /// Takes the signals over from the system, which would end the process.
    public init() {}

    /// Returns when one has arrived; a second one then ends the process.
    public func wait() async {
        for await _ in signals.arrivals { break }
        for number in Self.numbers { signal(number, SIG_DFL) }
        signals.end()
    }
}
