internal import Testing

@testable internal import HTTP

// MARK: - The connection

extension HTTP2SessionTests {
    @Test
    func theFirstBytesTurnPushOff() {
        var first = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        first += [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]
        #expect(write() == first)
        #expect(write().isEmpty)
    }

    @Test
    func whatTheServerAsksIsAcknowledgedAndNothingElse() {
        _ = write()
        receive(Self.settings)
        #expect(write() == frame(.settings, flags: 1))
        receive(frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(write() == frame(.ping, flags: 1, [1, 2, 3, 4, 5, 6, 7, 8]))
        session.ping()
        #expect(write() == frame(.ping, [0, 0, 0, 0, 0, 0, 0, 0]))
        // What it acknowledges, a priority, and a frame of a type that is none.
        receive(frame(.ping, flags: 1, [0, 0, 0, 0, 0, 0, 0, 0]))
        receive(frame(.settings, flags: 1))
        receive(frame(.priority, stream: 7, [0, 0, 0, 0, 1]))
        receive([0, 0, 1, 0x20, 0xff, 0, 0, 0, 9, 1])
        #expect(write().isEmpty && connection.fault.isEmpty)
    }

    @Test
    func aThousandAcknowledgementsWaitForTheServerToReadAndNoMore() {
        let ping = frame(.ping, [1, 2, 3, 4, 5, 6, 7, 8])
        receive(Self.settings)
        for _ in 0..<999 { receive(ping) }
        // With the first bytes.
        #expect(write().count == 24 + 15 + 9 + 999 * 17)
        // It has read them.
        for _ in 0..<1000 { receive(ping) }
        #expect(connection.fault.isEmpty)
        receive(ping)
        #expect(connection.fault == "the server does not read what it asks for")
        #expect(write().last == 11)
    }

    @Test
    func theServersFarewellSaysHowManyRequestsAConnectionLastsUnlessItIsAnError() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        _ = (start(0, headers), start(1, headers))
        receive(frame(.goAway, [0, 0, 0, 0, 0, 0, 0, 11] + Array("calm".utf8)))
        #expect(connection.lasted == nil && connection.fault == "GOAWAY calm")
        // Of its words 64 bytes are kept.
        let words = String(repeating: "w", count: 64)
        receive(frame(.goAway, [0, 0, 0, 0, 0, 0, 0, 0] + Array("\(words)!".utf8)))
        #expect(connection.lasted == 2 && connection.fault == "GOAWAY \(words)")
    }

    @Test
    func nothingIsHeardOfAStreamBeforeItIsOpened() throws {
        receive(Self.settings)
        let request = start(0, try HTTP2Headers([], ownName: "apns-id"))
        receive(frame(.reset, stream: 1, [0, 0, 0, 8]))
        #expect(connection.fault == "a frame of stream 1, which was not opened" && request.ending == nil)
    }

    @Test
    func aRequestThatIsGivenUpIsResetWhereItsStreamIsOpenAndItsAnswerStillFillsTheTable() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let first = start(0, headers)
        _ = write()
        let second = start(1, headers)
        session.abandon(first)
        session.abandon(second)
        #expect(write() == frame(.reset, stream: 1, [0, 0, 0, 8]))
        let third = start(2, headers)
        _ = write()
        // The status 299 becomes an entry, to which the next answer refers.
        receive(frame(.headers, flags: 5, stream: 1, [0x48, 3, 0x32, 0x39, 0x39]))
        receive(frame(.headers, flags: 5, stream: 5, [0xbe]))
        #expect(third.ending == .answered(status: 299) && first.status == 0)
    }
}

// MARK: - Windows

extension HTTP2SessionTests {
    @Test
    func aStreamGetsWhatItsWindowAllows() throws {
        receive(frame(.settings, [0, 4, 0, 0, 0, 3]))
        let request = start(0, body: [1, 2, 3, 4, 5, 6], try HTTP2Headers([], ownName: "apns-id"))
        #expect(Array(write().suffix(12)) == frame(.data, stream: 1, [1, 2, 3]))
        receive(frame(.windowUpdate, stream: 1, [0, 0, 0, 1]))
        #expect(write() == frame(.data, stream: 1, [4]))
        // Two bytes less than nothing.
        receive(frame(.settings, [0, 4, 0, 0, 0, 1]))
        receive(frame(.windowUpdate, stream: 1, [0, 0, 0, 2]))
        #expect(write() == frame(.settings, flags: 1))
        receive(frame(.windowUpdate, stream: 1, [0, 0, 0, 1]))
        #expect(write() == frame(.data, stream: 1, [5]))
        receive(frame(.settings, [0, 4, 0, 0, 0, 2]))
        #expect(write() == frame(.settings, flags: 1) + frame(.data, flags: 1, stream: 1, [6]))
        #expect(request.ending == nil && connection.fault.isEmpty)
    }

    @Test
    func allStreamsGetWhatTheConnectionsWindowAllows() throws {
        // The largest windows of streams; frames of any size, which are no use; and 260, which is no setting.
        receive(
            frame(.settings, [0, 4, 0x7f, 0xff, 0xff, 0xff, 0, 5, 0, 0, 0x40, 0, 0, 5, 0, 0xff, 0xff, 0xff])
                + frame(.settings, [1, 4, 0, 0, 0, 0]))
        _ = write()
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let first = start(0, body: Array(repeating: 7, count: 70_000), headers)
        let given = try WireFrame.all(in: write(size: 100_000))
        #expect(given.map(\.kind) == [.headers, .data, .data, .data, .data])
        #expect(given.dropFirst().map(\.payload.count) == [16384, 16384, 16384, 16383])
        // Another does not even begin.
        let second = start(1, headers)
        #expect(write().isEmpty && first.bodyOffset == 65535 && !second.isOpen)
        receive(frame(.windowUpdate, [0, 0, 0, 1]))
        #expect(write() == frame(.data, stream: 1, [7]))
        // The 4464 bytes that are left, and one.
        receive(frame(.windowUpdate, [0, 0, 0x11, 0x71]))
        let last = try WireFrame.all(in: write())
        #expect(last.map(\.kind) == [.data, .headers, .data] && last.map(\.stream) == [1, 3, 3])
        #expect(last.map(\.flags) == [1, 4, 0] && last.first?.payload.count == 4464 && last.last?.payload == [1])
        receive(frame(.windowUpdate, [0, 0, 0, 9]))
        #expect(write() == frame(.data, flags: 1, stream: 3, [2, 3]))
    }

    @Test
    func windowsHave2147483647BytesAtMost() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let (first, second) = (start(0, headers), start(1, headers))
        _ = write()
        // Each has taken three bytes.
        receive(frame(.windowUpdate, stream: 1, [0x7f, 0xff, 0, 3]))
        receive(frame(.windowUpdate, [0x7f, 0xff, 0, 6]))
        #expect(write().isEmpty && connection.fault.isEmpty)
        receive(frame(.windowUpdate, stream: 1, [0, 0, 0, 1]))
        #expect(write() == frame(.reset, stream: 1, [0, 0, 0, 3]))
        #expect(first.ending == .unanswered("the stream was reset: FLOW_CONTROL_ERROR"))
        receive(frame(.windowUpdate, stream: 3, [0, 0, 0, 0]))
        #expect(write() == frame(.reset, stream: 3, [0, 0, 0, 1]))
        #expect(second.ending == .unanswered("the stream was reset: PROTOCOL_ERROR") && connection.fault.isEmpty)
        receive(frame(.windowUpdate, [0, 0, 0, 1]))
        #expect(connection.fault == "WINDOW_UPDATE of 1 bytes" && write().last == 3)
    }

    @Test
    func settingsMayFillAStreamsWindowAndNotMore() throws {
        receive(Self.settings)
        _ = start(0, try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        // What it has taken, and all that can be.
        receive(frame(.windowUpdate, stream: 1, [0, 0, 0, 3]))
        receive(frame(.settings, [0, 4, 0x7f, 0xff, 0xff, 0xff]))
        // One less, which the stream gets back.
        receive(frame(.settings, [0, 4, 0x7f, 0xff, 0xff, 0xfe]))
        receive(frame(.windowUpdate, stream: 1, [0, 0, 0, 1]))
        _ = write()
        #expect(connection.fault.isEmpty)
        receive(frame(.settings, [0, 4, 0x7f, 0xff, 0xff, 0xff]))
        #expect(connection.fault == "a window of too many bytes" && write().last == 3)
    }

    @Test
    func aRequestThatWaitsHasNoWindowOfTheStreamBefore() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let request = start(0, headers)
        _ = write()
        receive(frame(.windowUpdate, stream: 1, [0x7f, 0xff, 0, 3]))
        receive(frame(.headers, flags: 5, stream: 1, [0x88]))
        #expect(request.ending == .answered(status: 200))
        request.begin(path: Array("/p".utf8), own: Array("1".utf8), headers: headers)
        #expect(connection.add(request, at: .now))
        receive(frame(.settings, [0, 4, 0, 1, 0, 0]))
        _ = write()
        #expect(connection.fault.isEmpty && request.sendWindow == 65536 - 3)
    }

    @Test
    func theServerHearsOfHalfAWindowOnceItHasFilledIt() throws {
        receive(Self.settings)
        let request = start(0, try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        receive(frame(.headers, flags: 4, stream: 1, [0x88]))
        let part = [UInt8](repeating: 0, count: 16384)
        // 32768 bytes.
        let update: [UInt8] = [0, 0, 0x80, 0]
        receive(frame(.data, stream: 1, Array(part.dropFirst())) + frame(.data, stream: 1, part))
        #expect(write().isEmpty)
        receive(frame(.data, stream: 1, [0]))
        #expect(write() == frame(.windowUpdate, update) + frame(.windowUpdate, stream: 1, update))
        // Padding counts.
        receive(frame(.data, stream: 1, part) + frame(.data, flags: 8, stream: 1, [255] + part.dropFirst()))
        #expect(write() == frame(.windowUpdate, update) + frame(.windowUpdate, stream: 1, update))
        // Of a stream that is at its end nobody says how much it may bring.
        receive(frame(.data, stream: 1, part) + frame(.data, flags: 1, stream: 1, part))
        #expect(write() == frame(.windowUpdate, update) && request.ending == .answered(status: 200))
        receive(frame(.data, stream: 1, part) + frame(.data, stream: 1, part))
        #expect(write() == frame(.windowUpdate, update) && connection.fault.isEmpty)
    }

    @Test
    func whatComesBeforeAnAnswerOrAfterItsEndResetsItsStream() throws {
        // Windows of two bytes: bodies that are not at their end.
        receive(frame(.settings, [0, 4, 0, 0, 0, 2]))
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let requests = (0..<3).map { start($0, headers) }
        _ = write()
        receive(frame(.headers, flags: 5, stream: 1, [0x88]) + frame(.headers, flags: 5, stream: 3, [0x88]))
        receive(frame(.data, stream: 1, [1]))
        #expect(write() == frame(.reset, stream: 1, [0, 0, 0, 5]))
        receive(frame(.headers, flags: 5, stream: 3, [0x88]))
        #expect(write() == frame(.reset, stream: 3, [0, 0, 0, 5]))
        receive(frame(.data, stream: 5, [1]))
        #expect(write() == frame(.reset, stream: 5, [0, 0, 0, 1]))
        #expect(requests[0].ending == .answered(status: 200) && requests[1].ending == .answered(status: 200))
        #expect(requests[2].ending == .unanswered("the stream was reset: PROTOCOL_ERROR"))
    }

    @Test
    func aBodyForWhichThereWasNoRoomFollowsItsHeaders() throws {
        receive(Self.settings)
        _ = write()
        let headers = try HTTP2Headers([], ownName: "content-length")
        _ = start(0, headers)
        _ = write()
        _ = start(1, headers)
        // All but DATA, of which each further request has as much.
        let head = write().count - 12
        for (number, room) in [-1, 0, 1, 2].enumerated() {
            let request = start(2 + number, headers)
            let given = max(0, room)
            #expect(write(size: head + 9 + room).count == head + (given > 0 ? 9 + given : 0))
            let rest = Array(request.body.dropFirst(given))
            #expect(write() == frame(.data, flags: 1, stream: UInt8(request.stream), rest))
        }
    }
}
