internal import CLibrary
internal import Dispatch

/// Waits for SIGTERM or SIGINT.
package struct StopSignals {
    private let sources: [any DispatchSourceSignal]
    private let arrivals: AsyncStream<Void>

    /// Takes the signals over from the system, which would end the process.
    package init() {
        let (arrivals, announce) = AsyncStream<Void>.makeStream()
        self.arrivals = arrivals
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { announce.yield() }
            source.resume()
            return source
        }
    }

    /// Returns when one has arrived; a second one then ends the process.
    package func wait() async {
        for await _ in arrivals { break }
        for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
        sources.forEach { $0.cancel() }
    }
}
