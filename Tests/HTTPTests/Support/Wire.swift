@testable internal import HTTP

/// What a test holds in place of a connection's link: it takes what is sent, and brings what has arrived.
final class Wire: HTTP2Carrier {
    let socket: Int32 = 5
    var watched: [Platform.Entry] = []
    var due: ContinuousClock.Instant?
    /// Whether the connection is made by now, and the reason why it cannot be.
    var isMade = true
    var failure: HTTP2Failure?
    /// What comes of the next offers; after these, all is taken.
    var answers: [HTTP2Link.Transfer] = []
    /// What has arrived, read by read.
    var arrived: [[UInt8]] = []
    /// The reason why nothing arrives after that; nil: it may.
    var end: String?
    /// What was offered, call by call.
    private(set) var offered: [[UInt8]] = []
    /// What was taken of it.
    private(set) var sent: [UInt8] = []
    /// The number of reads.
    private(set) var reads = 0

    /// Forgets what was offered and taken so far.
    func forget() { (offered, sent) = ([], []) }

    func connect(_: ArraySlice<Platform.Entry>) throws(HTTP2Failure) -> Bool {
        if let failure { throw failure }
        return isMade
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> HTTP2Link.Transfer {
        offered.append(Array(bytes))
        let answer = answers.isEmpty ? HTTP2Link.Transfer.moved(bytes.count) : answers.removeFirst()
        if case .moved(let count) = answer { sent += bytes.prefix(count) }
        return answer
    }

    func receive(into room: UnsafeMutableRawBufferPointer) -> HTTP2Link.Transfer {
        reads += 1
        if !arrived.isEmpty {
            let bytes = arrived.removeFirst()
            room.copyBytes(from: bytes)
            return .moved(bytes.count)
        }
        if let end { return .ended(end) }
        return .blocked
    }
}
