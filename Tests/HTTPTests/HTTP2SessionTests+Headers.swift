internal import Testing

@testable internal import HTTP

/// SETTINGS with a limit of the table of headers.
private func tableLimit(_ limit: Int) -> [UInt8] {
    let value: [UInt8] = [UInt8(limit >> 16), UInt8(limit >> 8 & 255), UInt8(limit & 255)]
    return frame(.settings, [0, 1, 0] + value)
}

extension HTTP2SessionTests {
    /// The header blocks of the next bytes.
    private func blocks() throws -> [UInt8] {
        let frames = try WireFrame.all(in: write(size: 100_000))
        return frames.filter { $0.kind == .headers || $0.kind == .continuation }.flatMap(\.payload)
    }

    @Test
    func headersThatFillMoreThanAFrameAreContinued() throws {
        let server = ReferenceServer([]) { _, isWhole in isWhole ? .answer(status: 200, body: []) : .wait }
        receive(server.write())
        server.receive(write())
        var totals: [Int] = []
        for (number, size) in (Array(16_340...16_370) + Array(32_730...32_760) + [60_000]).enumerated() {
            let value = String(repeating: "v", count: size)
            let body: [UInt8] = number % 2 == 0 ? [] : [1, 2, 3]
            let request = start(number, body: body, try HTTP2Headers([("x", value)], ownName: "apns-id"))
            let output = write(size: 100_000)
            let parts = try WireFrame.all(in: output).filter { $0.kind != .data }
            try #require(!parts.isEmpty)
            #expect(parts[0].kind == .headers && parts.dropFirst().allSatisfy { $0.kind == .continuation })
            #expect(parts.dropLast().allSatisfy { $0.payload.count == 16384 })
            #expect(parts.allSatisfy { 1...16384 ~= $0.payload.count && $0.stream == Int(request.stream) })
            var flags = [UInt8](repeating: 0, count: parts.count)
            flags[0] = body.isEmpty ? 1 : 0
            flags[parts.count - 1] |= 4
            #expect(parts.map(\.flags) == flags)
            totals.append(parts.reduce(0) { $0 + $1.payload.count })
            server.receive(output)
            let received = try #require(server.received[request.stream])
            #expect(received.fields.contains("x: \(value)") && received.body == body)
            receive(server.write())
            #expect(request.ending == .answered(status: 200))
        }
        #expect(Set([16384, 16385, 32768, 32769]).isSubset(of: totals) && server.complaints == [])
    }

    // MARK: Of answers

    @Test
    func anAnswersHeadersHave16FramesAtMost() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let (first, second) = (start(0, headers), start(1, headers))
        _ = write()
        receive(frame(.headers, flags: 1, stream: 1))
        for _ in 0..<14 { receive(frame(.continuation, stream: 1)) }
        receive(frame(.continuation, flags: 4, stream: 1, [0x88]))
        #expect(first.ending == .answered(status: 200))
        receive(frame(.headers, flags: 1, stream: 3, [0x88]))
        for _ in 0..<15 { receive(frame(.continuation, stream: 3)) }
        #expect(write().isEmpty && connection.fault.isEmpty)
        receive(frame(.continuation, flags: 4, stream: 3))
        #expect(connection.fault == "the headers of an answer do not end" && write().last == 11)
        #expect(second.ending == nil)
    }

    @Test(arguments: [0, 1])
    func anAnswersHeadersHave65536BytesAtMost(more: Int) throws {
        receive(Self.settings)
        let request = start(0, try HTTP2Headers([], ownName: "apns-id"))
        _ = write()
        // The status, and a field of 65528 bytes or one more.
        var block: [UInt8] = [0x88, 0, 1, 0x61, 0x7f, 0xf9 + UInt8(more), 0xfe, 3]
        block += Array(repeating: 0x62, count: 65528 + more)
        receive(frame(.headers, flags: 1, stream: 1, Array(block.prefix(16384))))
        var rest = block.dropFirst(16384)
        while !rest.isEmpty {
            let part = Array(rest.prefix(16384))
            rest = rest.dropFirst(16384)
            receive(frame(.continuation, flags: rest.isEmpty ? 4 : 0, stream: 1, part))
        }
        let ending: HTTP2Ending? = more == 0 ? .answered(status: 200) : nil
        #expect(request.ending == ending && connection.fault.isEmpty == (more == 0))
    }

    @Test
    func headersAreContinuedOnTheirOwnStream() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        _ = (start(0, headers), start(1, headers))
        _ = write()
        receive(frame(.headers, flags: 1, stream: 1) + frame(.continuation, flags: 4, stream: 3, [0x88]))
        #expect(connection.fault == "CONTINUATION of nothing")
    }

    @Test
    func paddingAndPriorityOfAnAnswerAreSkipped() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let requests = (0..<3).map { start($0, headers) }
        _ = write()
        // A priority alone, one before the headers, and one between padding and headers.
        receive(frame(.headers, flags: 0x21, stream: 1, [0, 0, 0, 0, 16]))
        receive(frame(.continuation, flags: 4, stream: 1, [0x88]))
        receive(frame(.headers, flags: 0x25, stream: 3, [0x80, 0, 0, 1, 16, 0x88]))
        receive(frame(.headers, flags: 0x2c, stream: 5, [3, 0, 0, 0, 0, 16, 0x88, 9, 9, 9]))
        receive(frame(.data, flags: 8, stream: 5, [2, 0x61, 0x62, 0, 0]))
        // Nothing but padding, and none.
        receive(frame(.data, flags: 8, stream: 5, [2, 0, 0]))
        receive(frame(.data, flags: 9, stream: 5, [0, 0x63]))
        #expect(requests.allSatisfy { $0.ending == .answered(status: 200) })
        #expect(requests[2].answer == Array("abc".utf8))
    }

    @Test
    func aServerMayChangeItsTableAtTheStartOfEachAnswer() throws {
        receive(Self.settings)
        let headers = try HTTP2Headers([], ownName: "apns-id")
        let requests = (0..<2).map { start($0, headers) }
        _ = write()
        receive(frame(.headers, flags: 5, stream: 1, [0x20, 0x88]))
        receive(frame(.headers, flags: 5, stream: 3, [0x3f, 0xe1, 0x1f, 0x88]))
        #expect(requests.allSatisfy { $0.ending == .answered(status: 200) })
    }

    // MARK: Of requests

    /// Limits of the server's table, and how they are announced (RFC 7541, 5.1 and 6.3): more than 4096 is no use.
    static let limits: [(Int, [UInt8])] = [
        (0, [0x20]), (10, [0x2a]), (30, [0x3e]), (31, [0x3f, 0]), (158, [0x3f, 0x7f]), (159, [0x3f, 0x80, 1]),
        (1337, [0x3f, 0x9a, 0x0a]), (4096, [0x3f, 0xe1, 0x1f]), (65536, [0x3f, 0xe1, 0x1f]),
    ]

    @Test(arguments: limits)
    func aLimitOfTheTableIsAnnouncedOnce(_ limit: Int, _ announcement: [UInt8]) throws {
        receive(tableLimit(limit))
        _ = write()
        _ = start(0, try HTTP2Headers([], ownName: "a"))
        // The method and the scheme follow.
        #expect(try blocks().starts(with: announcement + [0x83, 0x87]))
        _ = start(1, try HTTP2Headers([], ownName: "a"))
        #expect(try blocks().starts(with: [0x83, 0x87]))
    }

    @Test
    func theLowestLimitOfTheTableMeanwhileIsAnnouncedToo() throws {
        receive(tableLimit(1337) + tableLimit(10) + tableLimit(159))
        _ = write()
        _ = start(0, try HTTP2Headers([], ownName: "a"))
        #expect(try blocks().starts(with: [0x2a, 0x3f, 0x80, 1, 0x83, 0x87]))
    }

    /// Lengths of texts, and their bytes (RFC 7541, 5.1).
    static let lengths: [(Int, [UInt8])] = [
        (126, [126]), (127, [0x7f, 0]), (254, [0x7f, 0x7f]), (255, [0x7f, 0x80, 1]), (16510, [0x7f, 0xff, 0x7f]),
        (16511, [0x7f, 0x80, 0x80, 1]),
    ]

    @Test(arguments: lengths)
    func aTextFollowsItsLength(_ length: Int, _ bytes: [UInt8]) throws {
        receive(Self.settings)
        _ = write()
        let path = "/" + String(repeating: "p", count: length - 1)
        _ = start(0, try HTTP2Headers([], ownName: "a"), path: path)
        // After the method, the scheme, the authority and the name.
        #expect(try blocks().dropFirst(16).starts(with: bytes + Array(path.utf8)))
    }

    /// Of the request with this number: its path, and its own header with the name "content-length".
    private func own(_ number: Int) -> (path: [UInt8], header: [UInt8]) {
        ([4, 2, 0x2f, 0x70], [0x0f, 0x0d, 1, 0x30 + UInt8(number)])
    }

    @Test
    func aHeaderThatRequestsShareIsAddedAndThenReferredTo() throws {
        receive(Self.settings)
        _ = write()
        let fields = [("Authorization", "a"), ("content-type", "b"), ("x", "c")]
        let headers = try HTTP2Headers(fields, ownName: "content-length")
        _ = start(0, headers)
        var added: [UInt8] = [0x83, 0x87, 0x41, 11] + Array("127.0.0.1:1".utf8)
        added += own(0).path
        added += [0x57, 1, 0x61, 0x5f, 1, 0x62, 0x40, 1, 0x78, 1, 0x63]
        #expect(try blocks() == added + own(0).header)
        // With what was added, and prepared.
        for number in 1..<3 {
            _ = start(number, headers)
            let known: [UInt8] = [0x83, 0x87, 0xc1] + own(number).path + [0xc0, 0xbf, 0xbe]
            #expect(try blocks() == known + own(number).header)
        }
    }

    @Test
    func theTableHoldsAHeaderThatFillsIt() throws {
        _ = write()
        let headers = try HTTP2Headers([], ownName: "content-length")
        // The authority takes 10 + 11 + 32 bytes.
        let text: [UInt8] = [11] + Array("127.0.0.1:1".utf8)
        let literal: [UInt8] = [0x83, 0x87, 0x01] + text
        let added: [UInt8] = [0x83, 0x87, 0x41] + text
        let known: [UInt8] = [0x83, 0x87, 0xbe]
        let steps: [(limit: Int?, announcement: [UInt8], start: [UInt8])] = [
            (52, [0x3f, 21], literal), (nil, [], literal), (53, [0x3f, 22], added), (nil, [], known),
            (nil, [], known), (53, [0x3f, 22], known), (52, [0x3f, 21], literal),
        ]
        for (number, step) in steps.enumerated() {
            if let limit = step.limit { receive(tableLimit(limit)) }
            _ = start(number, headers)
            let rest = own(number).path + own(number).header
            #expect(try blocks() == step.announcement + step.start + rest)
        }
    }
}
