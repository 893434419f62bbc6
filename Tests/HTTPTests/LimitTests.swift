internal import HTTPTesting
internal import NIOCore
internal import NIOPosix
internal import Testing

@testable internal import HTTP

/// An answer has bounds.
@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    private static let limit = 16 << 20
    /// 32 MiB in 0.2.
    private static let bomb = GZip.zeros(32 << 20)

    @Test(arguments: Transport.allCases)
    func anAnswerOfSixteenMebibytesIsTheLargest(_ transport: Transport) async throws {
        let script = Script { seen in
            .answer(200, body: [UInt8](repeating: 0x20, count: Self.limit + (seen.path == "/more" ? 1 : 0)))
        }
        try await TestServer.with(transport, script) { server, client in
            let response = try await client.exchange(HTTPRequest(.get, server.url("/"), timeout: .seconds(300)))
            #expect(response.body.count == Self.limit)
            let more = HTTPRequest(.get, server.url("/more"), timeout: .seconds(300))
            #expect(await client.outcome(more) == .failed(.responseTooLarge, .possibly))
        }
        #expect(script.seen.count == 2)
    }

    @Test(arguments: Transport.allCases)
    func theLimitIsForDecompressedBytes(_ transport: Transport) async throws {
        let bodies = ["/": GZip.zeros(1000), "/bomb": Self.bomb]
        let script = Script { seen in
            .answer(200, headers: [("content-encoding", "gzip")], body: bodies[seen.path] ?? [])
        }
        try await TestServer.with(transport, script) { server, client in
            let response = try await client.exchange(HTTPRequest(.get, server.url("/"), timeout: .seconds(300)))
            #expect(response.body.count == 1 + 258 * 3)
            #expect(response.body.allSatisfy { $0 == 0 })
            let bomb = HTTPRequest(.get, server.url("/bomb"), timeout: .seconds(300))
            #expect(await client.outcome(bomb) == .failed(.responseTooLarge, .possibly))
        }
        #expect(script.seen.allSatisfy { $0.headers["accept-encoding"]?.contains("gzip") == true })
    }

    @Test
    func compressedNonsenseIsAProtocolError() async throws {
        let script = Script { _ in .answer(200, headers: [("content-encoding", "gzip")], body: Array("{}".utf8)) }
        try await TestServer.with(.plain, script) { server, client in
            let request = HTTPRequest(.post, server.url("/"), body: [1])
            #expect(await client.outcome(request) == .failed(.protocolError, .possibly))
        }
    }

    @Test
    func endlessHeadersEndTheRequest() async throws {
        let script = Script { _ in
            .answer(200, headers: (0..<50).map { ("X-\($0)", String(repeating: "a", count: 10_000)) })
        }
        try await TestServer.with(.plain, script) { server, client in
            let request = HTTPRequest(.post, server.url("/"), body: [1])
            #expect(await client.outcome(request) == .failed(.responseTooLarge, .possibly))
        }
    }

    @Test
    func interimAnswersAreNotShown() {
        var answer = PartialAnswer()
        let lines = ["HTTP/1.1 103 Early Hints\r\n", "Link: a\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "Date: today \r\n"]
        for line in lines { #expect(Array(line.utf8).withUnsafeBytes { answer.append(headLine: $0) }) }
        #expect(!answer.hasWholeHead)
        #expect(answer.fields == [.init("Date", "today")])
        #expect(Array("\r\n".utf8).withUnsafeBytes { answer.append(headLine: $0) })
        #expect(answer.hasWholeHead)
    }
}

/// Makes gzip streams that unpack to zeros, by hand: fixed Huffman codes, each 13 bits repeat a byte 258 times.
enum GZip {
    /// At least `count` zeros, compressed about 160 times. The checksum is right for 775 bytes only.
    static func zeros(_ count: Int) -> [UInt8] {
        let repeats = (count - 1) / 258
        var bits = Bits()
        bits.append(0b1, 1)
        bits.append(0b01, 2)
        bits.appendCode(0b0011_0000, 8)
        for _ in 0..<repeats {
            bits.appendCode(0b1100_0101, 8)
            bits.appendCode(0, 5)
        }
        bits.appendCode(0, 7)
        let total = 1 + 258 * repeats
        return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + bits.bytes + littleEndian(checksum(ofZeros: total))
            + littleEndian(UInt32(truncatingIfNeeded: total))
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// CRC-32 of a run of zeros, 0 for a bomb, which nobody unpacks to its end.
    private static func checksum(ofZeros count: Int) -> UInt32 {
        guard count < 1 << 20 else { return 0 }
        var crc = UInt32.max
        for _ in 0..<(count * 8) { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xedb8_8320 : crc >> 1 }
        return ~crc
    }

    /// Bits, the first one lowest in its byte.
    private struct Bits {
        var bytes: [UInt8] = []
        private var used = 8

        mutating func append(_ value: Int, _ count: Int) {
            for bit in 0..<count {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8((value >> bit) & 1) << UInt8(used)
                used += 1
            }
        }

        /// Huffman codes go highest bit first.
        mutating func appendCode(_ code: Int, _ count: Int) {
            for bit in (0..<count).reversed() { append((code >> bit) & 1, 1) }
        }
    }
}
