internal import Base
internal import CLibrary
@preconcurrency internal import Dispatch
internal import FoundationEssentials
internal import Apply

/// Requests an apply to stop on SIGINT, SIGTERM, or when a file appears; a second signal ends the program.
final class StopWatch: Sendable {
    private let sources: [any DispatchSourceSignal]
    private let polling: Task<Void, Never>?

    /// Starts watching for signals and, unless it is nil, for the file whose appearance stops the apply.
    init(_ stop: StopSignal, file: String?) {
        let queue = DispatchQueue(label: "bugle.signals")
        sources = [SIGINT, SIGTERM].map { number in
            // The default action would end the program before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if stop.isRaised { _exit(ExitStatus.partial.rawValue) }
                stop.raise()
            }
            source.resume()
            return source
        }
        polling = file.map { path in
            Task {
                while !stop.isRaised, !Task.isCancelled {
                    if FileManager.default.fileExists(atPath: path) { stop.raise() }
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
        }
    }

    /// Stops watching and restores the default signal actions.
    func end() {
        polling?.cancel()
        for source in sources { source.cancel() }
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
    }
}
