internal import JSONValue
internal import PushModel
internal import Synchronization

/// Sends changes to open pages. One task polls while any page is open, and renders each topic once for all of them.
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
        var quietTicks = 0
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var next = 0
        var poller: Task<Void, Never>?
        var isStopped = false
    }

    /// The most pages served at a time.
    static let mostReaders = 64
    /// The polling interval.
    static let interval: Duration = .seconds(1)
    /// The number of polls without changes after which a heartbeat is sent.
    private static let ticksBetweenHeartbeats = 15

    private let interval: Duration
    private let render: @Sendable (Subject) async -> [String: String]
    private let state = Mutex(State())

    /// Creates a hub; `render` returns the HTML of a topic's changing parts in a language, by element id.
    init(interval: Duration = interval, render: @escaping @Sendable (Subject) async -> [String: String]) {
        self.interval = interval
        self.render = render
    }

    /// Opens a stream of a topic's changes that lasts while `isAllowed`; `nil` when too many are open or the server is
    /// stopping.
    func open(_ subject: Subject, while isAllowed: @escaping @Sendable () async -> Bool) -> EventStream? {
        state.withLock { state in
            guard !state.isStopped, state.readers.count < Self.mostReaders else { return nil }
            let id = state.next
            state.next += 1
            let stream = EventStream { [weak self] in self?.close(id) }
            state.readers[id] = Reader(subject: subject, stream: stream, isAllowed: isAllowed)
            stream.sendRetry(milliseconds: 2000)
            if state.poller == nil { state.poller = Task { [self] in await run() } }
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
        while true {
            let subjects = state.withLock { state in
                if state.readers.isEmpty || state.isStopped { state.poller = nil }
                return state.poller == nil ? [] : Set(state.readers.values.map(\.subject))
            }
            if subjects.isEmpty { return }
            for subject in subjects { await publish(render(subject), on: subject) }
            try? await Task.sleep(for: interval)
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
            let isQuiet = news.isEmpty
            if !isQuiet {
                reader.stream.send(
                    "parts", JSONValue.object(JSONObject(news.mapValues { JSONValue.string($0) })).canonicalText)
            } else if reader.quietTicks % Self.ticksBetweenHeartbeats == Self.ticksBetweenHeartbeats - 1 {
                reader.stream.sendHeartbeat()
            }
            state.withLock { state in
                state.readers[id]?.shown.merge(news) { $1 }
                state.readers[id]?.quietTicks = isQuiet ? reader.quietTicks + 1 : 0
            }
        }
    }
}
