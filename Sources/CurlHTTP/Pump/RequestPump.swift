internal import CCurl

/// Sends many small POST requests to one HTTP/2 server, fast: for whoever decides what goes out when.
///
/// All of it happens on one thread, that of its owner: `start` gives requests to connections, `run` sends and receives,
/// `takeEnded` gives back what has ended. Requests are written in batches, places for them are used again. No request is
/// ever sent twice by it, and none on a connection that was not asked for.
package final class RequestPump {
    /// Ends the wait in `run` from any thread.
    package let waker: Waker
    /// The connections that stand, are being made, or have requests left.
    package private(set) var connections: [PumpConnection] = []
    /// How many places there are: the numbers of requests are below it.
    package private(set) var places = 0

    private let setup: PumpSetup
    private var free: [PumpRequest] = []
    private var ended: [PumpRequest] = []
    private var entries: [Platform.Entry] = []

    /// Prepares libcurl; nothing is connected yet.
    ///
    /// - Throws: `TransportError` with `refusedURL`, with `noHTTP2` when libcurl was built without it, with
    ///   `internalFailure` when the system has no descriptors left.
    package init(_ configuration: PumpConfiguration) throws(TransportError) {
        func failure(_ code: TransportError.Code, _ detail: String) -> TransportError {
            TransportError(code, sent: .nothing, request: "POST", detail: detail)
        }
        guard Libcurl.isReady else { throw failure(.internalFailure, "curl_global_init failed") }
        guard Libcurl.hasHTTP2 else { throw failure(.noHTTP2, "\(Libcurl.version) was built without it") }
        do throws(RequestTarget.Refusal) {
            setup = try PumpSetup(configuration)
        } catch {
            throw failure(.refusedURL, error.reason)
        }
        guard let waker = Waker() else { throw failure(.internalFailure, "no descriptor is left for a pipe") }
        self.waker = waker
    }

    deinit { close() }

    /// Makes a connection, which its first request opens.
    package func connect() throws(TransportError) -> PumpConnection {
        do throws(LibcurlFailure) {
            let connection = try PumpConnection(setup)
            connections.append(connection)
            return connection
        } catch {
            throw failure(error)
        }
    }

    /// A place for a request: set its body, then start it; one that is not started must be given back.
    package func place() throws(TransportError) -> PumpRequest {
        if let used = free.popLast() { return used }
        do throws(LibcurlFailure) {
            let request = try PumpRequest(number: places, setup)
            places += 1
            return request
        } catch {
            throw failure(error)
        }
    }

    /// Gives a request to a connection; it leaves with the next `run`.
    ///
    /// - Parameters:
    ///   - request: A place with its body.
    ///   - path: The path with a zero at its end, percent-encoded.
    ///   - value: The value of the header that is its own, at most 64 bytes, printable ASCII.
    ///   - headers: The headers it shares.
    ///   - connection: One that is ready.
    package func start(
        _ request: PumpRequest, path: [UInt8], value: [UInt8], headers: PumpHeaders, on connection: PumpConnection
    ) throws(TransportError) {
        do throws(LibcurlFailure) {
            try request.begin(path: path, value: value, headers: headers, on: connection)
            try connection.add(request)
        } catch {
            throw failure(error)
        }
    }

    /// Waits for something to do, at most so long, and does it.
    package func run(milliseconds: Int) {
        entries.removeAll(keepingCapacity: true)
        entries.append(Platform.Entry(descriptor: waker.reading, interest: Platform.Entry.readable))
        for connection in connections { entries.append(contentsOf: connection.watched) }
        Platform.wait(for: &entries, milliseconds: patience(milliseconds))
        if entries[0].found != 0 { waker.drain() }
        var next = 1
        for connection in connections {
            let found = entries[next..<(next + connection.watched.count)]
            next += connection.watched.count
            do throws(LibcurlFailure) {
                try connection.work(Array(found))
            } catch {
                connection.close(.internalFailure, error.detail)
            }
            if !connection.ended.isEmpty {
                connection.lastUsed = .now
                ended.append(contentsOf: connection.ended)
                connection.ended.removeAll(keepingCapacity: true)
            }
        }
        drop()
    }

    /// Takes the requests that have ended, in their order; each is to be given back.
    package func takeEnded() -> [PumpRequest] {
        for connection in connections where !connection.ended.isEmpty {
            ended.append(contentsOf: connection.ended)
            connection.ended.removeAll(keepingCapacity: true)
        }
        defer { ended = [] }
        return ended
    }

    /// Gives a place back.
    package func giveBack(_ request: PumpRequest) { free.append(request) }

    /// Ends every request and closes the connections.
    package func close() {
        for connection in connections {
            connection.close(.cancelled, "")
            ended.append(contentsOf: connection.ended)
            connection.ended.removeAll()
        }
        connections = []
    }

    /// Closes the connections that take no more requests and have none.
    private func drop() {
        guard connections.contains(where: { $0.phase == .retired && $0.inFlight == 0 }) else { return }
        for connection in connections where connection.phase == .retired && connection.inFlight == 0 {
            connection.close(.cancelled, "")
        }
        connections.removeAll { $0.phase == .retired && $0.inFlight == 0 && $0.ended.isEmpty }
    }

    /// How long nothing may happen, so that libcurl is called when it asked to be.
    private func patience(_ milliseconds: Int) -> Int32 {
        var patience = milliseconds
        var now: ContinuousClock.Instant?
        for connection in connections {
            if connection.isDue { return 0 }
            guard let due = connection.due else { continue }
            let time = now ?? .now
            now = time
            patience = min(patience, max(0, time.duration(to: due).wholeMilliseconds))
        }
        return Int32(clamping: patience)
    }

    private func failure(_ failure: LibcurlFailure) -> TransportError {
        TransportError(
            .internalFailure, sent: .nothing, request: "POST \(setup.target.name)", detail: failure.detail)
    }
}

@available(*, unavailable, message: "a pump belongs to the thread of its owner")
extension RequestPump: Sendable {}
