internal import Base
internal import Push
internal import Synchronization

/// Sends changes to open pages. One task looks while any page is open, and renders each topic once for all of them: at
/// intervals, and at once when it is told of a push.
final class EventHub: Sendable {
    /// A page with content that changes.
    enum Topic: Hashable, Sendable {
        case overview
        case pushes
        case push(objectID: String)
        case device(objectID: String)
    }

    /// A topic in the viewer's language, with their rights and time zone.
    struct Subject: Hashable, Sendable {
        let topic: Topic
        let language: Language
        /// True if the viewer may send and cancel.
        let mayAct: Bool
        /// The viewer's time zone; nil for UTC.
        var zone: ZoneClock?
    }

    private struct Reader {
        let subject: Subject
        let stream: EventStream
        let isAllowed: @Sendable () async -> Bool
        var shown: [String: String] = [:]
        var lastSent = ContinuousClock.now
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var next = 0
        var poller: Task<Void, Never>?
        var nap: Task<Void, Never>?
        /// True while pushes are told of.
        var isHearing = false
        var isTold = false
        var isStopped = false
    }

    /// The most pages served at a time.
    static let mostReaders = 64
    /// The most of these for people who may only look: others always find room.
    static let mostViewers = 48
    /// The interval between looks while nothing is told.
    static let interval: Duration = .seconds(1)
    /// The number of intervals between looks while pushes are told of: figures and devices change as well.
    private static let ticksWhileHearing = 5
    /// The pause after a look that somebody asked for.
    private static let shortestPause: Duration = .milliseconds(200)
    /// The number of intervals without changes after which a heartbeat is sent.
    private static let ticksBetweenHeartbeats = 15

    private let interval: Duration
    private let news: @Sendable () -> AsyncStream<Bool>
    private let render: @Sendable (Subject) async -> [String: String]
    private let state = Mutex(State())

    /// Creates a hub; `news` is ``/DeviceRegistry/Registry/news()``, and `render` returns the HTML of a topic's changing
    /// parts in a language, by element id.
    init(
        interval: Duration = interval, news: @escaping @Sendable () -> AsyncStream<Bool>,
        render: @escaping @Sendable (Subject) async -> [String: String]
    ) {
        self.interval = interval
        self.news = news
        self.render = render
    }

    /// Opens a stream of a topic's changes that lasts while `isAllowed`; `nil` when too many are open or the server is
    /// stopping.
    func open(_ subject: Subject, while isAllowed: @escaping @Sendable () async -> Bool) -> EventStream? {
        state.withLock { state in
            guard !state.isStopped, state.readers.count < Self.mostReaders,
                subject.mayAct || state.readers.values.count(where: { !$0.subject.mayAct }) < Self.mostViewers
            else { return nil }
            let id = state.next
            state.next += 1
            let stream = EventStream { [weak self] in self?.close(id) }
            state.readers[id] = Reader(subject: subject, stream: stream, isAllowed: isAllowed)
            stream.sendRetry(milliseconds: 2000)
            if state.poller == nil {
                state.poller = Task { [self] in await run() }
            } else {
                state.isTold = true
                state.nap?.cancel()
            }
            return stream
        }
    }

    /// The number of open pages.
    var count: Int { state.withLock { $0.readers.count } }

    /// Ends all streams and opens no more.
    func stop() {
        let (readers, poller) = state.withLock { state in
            defer { state.readers = [:] }
            state.isStopped = true
            return (state.readers, state.poller)
        }
        poller?.cancel()
        for reader in readers.values { reader.stream.end() }
    }

    private func close(_ id: Int) {
        state.withLock { $0.readers[id] = nil }
    }

    private func run() async {
        state.withLock { $0.isHearing = false }
        let hearing = Task { [self] in
            for await isHearing in news() {
                state.withLock { state in
                    (state.isHearing, state.isTold) = (isHearing, true)
                    state.nap?.cancel()
                }
                try? await Task.sleep(for: Self.shortestPause)
            }
        }
        defer { hearing.cancel() }
        while true {
            let subjects = state.withLock { state in
                if state.readers.isEmpty || state.isStopped { state.poller = nil }
                return state.poller == nil ? [] : Set(state.readers.values.map(\.subject))
            }
            if subjects.isEmpty { return }
            for subject in subjects { await publish(render(subject), on: subject) }
            await nap()
        }
    }

    /// Waits for the next look.
    private func nap() async {
        let nap = state.withLock { state in
            let length = state.isTold ? .zero : state.isHearing ? interval * Self.ticksWhileHearing : interval
            state.isTold = false
            let nap = Task { try? await Task.sleep(for: length) } as Task<Void, Never>
            state.nap = nap
            return nap
        }
        await withTaskCancellationHandler {
            await nap.value
        } onCancel: {
            nap.cancel()
        }
    }

    private func publish(_ parts: [String: String], on subject: Subject) async {
        // Sending can end a stream, which takes the lock, so it is not held here. Only this task changes `shown`.
        let readers = state.withLock { $0.readers.filter { $0.value.subject == subject } }
        for (id, reader) in readers {
            guard await reader.isAllowed() else {
                reader.stream.end()
                continue
            }
            let news = parts.filter { reader.shown[$0.key] != $0.value }
            if !news.isEmpty {
                reader.stream.send(
                    "parts", JSONValue.object(JSONObject(news.mapValues { JSONValue.string($0) })).canonicalText)
            } else if reader.lastSent.duration(to: .now) >= interval * Self.ticksBetweenHeartbeats {
                reader.stream.sendHeartbeat()
            } else {
                continue
            }
            state.withLock { state in
                state.readers[id]?.shown.merge(news) { $1 }
                state.readers[id]?.lastSent = .now
            }
        }
    }
}

/// A stream of server-sent events to one browser.
final class EventStream: Sendable {
    /// The bytes to send; they end with the server or the session, or when the browser stops reading.
    let chunks: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation

    /// The most chunks queued for a browser that does not read before it is dropped; it reconnects when it wakes.
    private static let mostWaiting = 32

    init(onEnd: @escaping @Sendable () -> Void) {
        (chunks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        continuation.onTermination = { _ in onEnd() }
    }

    /// Ends the stream: the browser has gone, or the server is stopping.
    func end() {
        continuation.finish()
    }

    func send(_ name: String, _ data: String) {
        // The data must be one line: JSON escapes line breaks.
        send("event: \(name)\ndata: \(data)\n\n")
    }

    /// Sends a comment, which browsers ignore, to find out whether the browser is still there.
    func sendHeartbeat() {
        send(":\n\n")
    }

    /// Sends the time a browser waits before it reconnects.
    func sendRetry(milliseconds: Int) {
        send("retry: \(milliseconds)\n\n")
    }

    private func send(_ text: String) {
        switch continuation.yield(Array(text.utf8)) {
        case .enqueued: break
        case .dropped, .terminated: continuation.finish()
        @unknown default: break
        }
    }
}
