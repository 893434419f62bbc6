import Base
import Dispatch
import Logging
import ProgramTesting
import PushServer
import Testing

/// The log: one line a request, with nothing in it that is not to be there.
@Suite struct LogTests {
    @Test func aRequestIsOneLineWithoutPathTokenOrKey() async throws {
        try await ServiceServer.run(format: .json) { (server) async throws in
            let body = Array(#"{"deviceType":"ios","deviceToken":"secret-token"}"#.utf8)
            _ = try await server.call("POST", "/1.1/installations?secret-query=1", body: body)
            _ = await server.log.line(1)
            _ = try await server.call("GET", "/1.1/installations/secret-token", TestServer.headers(.master))
            _ = await server.log.line(2)
            _ = try await server.call("PURGE", "/secret-token", [("X-LC-Id", "secret"), ("X-LC-Key", "secret-key")])
            _ = await server.log.line(3)
            let lines = server.log.all
            #expect(lines.count == 3)
            for secret in ["secret", TestServer.appKey, TestServer.masterKey] {
                #expect(!lines.joined().contains(secret))
            }
            let first = try JSONValue(parsing: lines[0])
            #expect(first["message"] == "request")
            #expect(first["level"] == "info")
            #expect(first["method"] == "POST")
            #expect(first["route"] == "installations")
            #expect(first["status"] == 201)
            #expect(first["remote"] == "127.0.0.1")
            #expect(first["bytes"]?.integer ?? 0 > 0)
            #expect(first["ms"]?.double != nil)
            #expect(try JSONValue(parsing: lines[2])["method"] == "other")
        }
    }

    @Test func theAddressCanBeLeftOut() async throws {
        try await ServiceServer.run({ $0.logsAddresses = false }) { (server) async throws in
            _ = try await server.call("GET", "/1.1/date")
            #expect(await !server.log.line(1).contains("127.0.0.1"))
        }
    }

    @Test(arguments: [LogFormat.text, .json])
    func noTextForgesALine(format: LogFormat) throws {
        let lines = LogLines()
        let handler = ServerLogHandler(level: .info, format: format) { lines.add($0) }
        let logger = Logger(label: "test") { _ in handler }
        let hostile = "x\n2026-11-21T00:00:00Z error forged\r\u{2028}\u{1B}[31m\u{85}\u{200B}\u{2066}\u{202E}\"} a=b\\"
        logger.info("\(hostile)", metadata: ["field": .string(hostile), "list": [.string(hostile)]])
        logger.debug("below the level")
        #expect(lines.all.count == 1)
        let line = try #require(lines.all.first)
        #expect(line.hasSuffix("\n"))
        let inner = line.dropLast().unicodeScalars
        #expect(!inner.contains { $0.value < 0x20 })
        if format == .json {
            #expect(try JSONValue(parsing: line)["field"] == .string(hostile))
        } else {
            #expect(!inner.contains { [0x85, 0x200B, 0x2028, 0x202E, 0x2066].contains($0.value) })
        }
    }

    @Test(arguments: [(LogLevel.debug, 5), (.info, 4), (.notice, 3), (.warning, 2), (.error, 1)])
    func aLevelHidesWhatIsBelowIt(level: LogLevel, count: Int) {
        let lines = LogLines()
        let handler = ServerLogHandler(level: level, format: .text) { lines.add($0) }
        let logger = Logger(label: "test") { _ in handler }
        for level in [Logger.Level.debug, .info, .notice, .warning, .error] { logger.log(level: level, "x") }
        #expect(lines.all.count == count)
    }

    @Test func aReaderThatStallsHoldsUpNobodyAndLearnsWhatItMissed() async throws {
        let (lines, isWriting, stalled) = (LogLines(), Flag(), DispatchSemaphore(value: 0))
        let output = LogOutput(format: .text) { text in
            if lines.all.isEmpty {
                isWriting.raise()
                stalled.wait()
            }
            for line in text.split(separator: "\n") { lines.add(line + "\n") }
        }
        let line = String(repeating: "x", count: 1023) + "\n"
        // One is being written, 1 MiB waits: the call returns all the same.
        output.add(line)
        try await eventually { isWriting.isRaised }
        for _ in 1..<3000 { output.add(line) }
        stalled.signal()
        #expect(await lines.line(1025).contains("1976 lines of the log were dropped"))
        output.add("on it goes\n")
        #expect(await lines.line(1026) == "on it goes\n")
    }
}
