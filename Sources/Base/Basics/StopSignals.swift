internal import CLibrary
@preconcurrency internal import Dispatch

/// Signals that the program takes over from the system, which would end the process.
package struct SignalArrivals: Sendable {
    /// An element for each arrival.
    package let arrivals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Takes over the signals with these numbers, such as `SIGHUP`.
    package init(_ numbers: [Int32]) {
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
    package func end() { sources.forEach { $0.cancel() } }
}

/// Waits for SIGTERM or SIGINT.
package struct StopSignals {
    private static let numbers = [SIGTERM, SIGINT]
    private let signals = SignalArrivals(numbers)

    /// Takes the signals over from the system, which would end the process.
    package init() {}

    /// Returns when one has arrived; a second one then ends the process.
    package func wait() async {
        for await _ in signals.arrivals { break }
        for number in Self.numbers { signal(number, SIG_DFL) }
        signals.end()
    }
}
