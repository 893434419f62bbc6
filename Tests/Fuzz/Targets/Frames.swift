internal import Base

@testable internal import HTTP

extension FuzzTarget {
    /// What a connection makes of a server's frames, which arrive in pieces while requests wait, are sent and are given up.
    static let frames = FuzzTarget(
        "frames", ["HTTP/HTTP2/HTTP2Session.swift", "HTTP/HTTP2/HeaderCompression.swift"],
        words: [
            "\0\0\0\u{4}\0\0\0\0\0", "\0\0\u{6}\u{4}\0\0\0\0\0\0\u{4}\0\0\0\u{2}",
            "\0\0\u{4}\u{8}\0\0\0\0\0\0\0\u{1}\0",
        ]
    ) { bytes in
        var chance = SeededGenerator(seed: UInt64(bytes.count))
        guard
            let setup = try? HTTP2Setup(
                HTTP2Configuration(
                    endpoint: "https://127.0.0.1:1", connectTimeout: .seconds(60), requestTimeout: .seconds(60))),
            let headers = try? HTTP2Headers([("apns-topic", "com.example.app")], ownName: "apns-id"),
            let connection = try? HTTP2Connection(setup, at: .now, isWanted: { $0.number % 7 != 6 }),
            (try? connection.greet(at: .now)) != nil, let session = connection.session
        else { fatalError("no connection") }
        var started = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...64, using: &chance))
            rest.removeFirst(piece.count)
            guard unsafe piece.withUnsafeBytes({ unsafe session.receive($0) }) else { break }
            while connection.room > 0, started < 20, .random(using: &chance) {
                let request = HTTP2Request(number: started)
                request.body = Array(repeating: 0, count: [0, 3, 3000, 70_000][started % 4])
                request.begin(path: [0x2f], own: [0x61], headers: headers)
                guard connection.add(request, at: .now) else { break }
                started += 1
            }
            var output: [UInt8] = []
            session.write(to: &output, size: 15360)
        }
        connection.close("it is over")
        let numbers = Set(connection.ended.map(\.number))
        guard numbers.count == started, connection.ended.count == started else { fatalError("not each ended once") }
        for request in connection.ended {
            guard case .notGiven = request.ending else { continue }
            guard request.bodyOffset == 0, !request.isOpen || !request.body.isEmpty else {
                fatalError("what was given is called not given")
            }
        }
    }
}
