import APNsSimulator
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@Suite struct HostileTests {
    /// Connects, sends bytes, with TLS or without, and returns when the simulator hangs up.
    private func insult(_ simulator: APNsSimulator, _ bytes: [UInt8], protocols: [String]?) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.applicationProtocols = protocols ?? []
        let context = try NIOSSLContext(configuration: tls)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard protocols != nil else { return }
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                }
            }
            .connect(host: "127.0.0.1", port: simulator.port).get()
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        try? await channel.closeFuture.get()
    }

    @Test func whoeverSpeaksNoHTTP2IsHungUpOn() async throws {
        try await Sample.connected { simulator, client in
            let garbage = [UInt8](repeating: 0x5A, count: 3000)
            try await insult(simulator, garbage, protocols: nil)
            try await insult(simulator, Array("GET / HTTP/1.1\r\n\r\n".utf8), protocols: nil)
            try await insult(simulator, garbage, protocols: ["h2"])
            try await insult(simulator, Array("GET / HTTP/1.1\r\n\r\n".utf8), protocols: ["http/1.1"])
            try await insult(simulator, garbage, protocols: [])
            #expect(await client.send(.push(Sample.token, Sample.provider())).text == "200")
        }
    }

    @Test func anEndlessHeaderEndsTheConnectionOnly() async throws {
        try await Sample.connected { simulator, client in
            // SETTINGS bind a client once it has seen them.
            #expect(await client.send(.push(Sample.token, Sample.provider())).text == "200")
            let huge = TestRequest.push().with("x-huge", String(repeating: "x", count: 9000))
            #expect(await client.send(huge) == .lost)
            try await ProviderClient.with(simulator) { other in
                #expect(await other.send(.push(Sample.token, Sample.provider())).text == "200")
            }
        }
    }

    @Test func manyRequestsThatAreTakenBackDoNoHarm() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            for _ in 0..<400 { client.reset(client.start(push, isOpen: true)) }
            #expect(await client.send(push).text == "200")
            #expect(simulator.statistics.requests == 1)
        }
    }

    @Test func deeplyNestedPayloadsAreRefusedAndAllJSONIsTaken() async throws {
        try await Sample.connected { _, client in
            var push = TestRequest.push(Sample.token, Sample.provider())
            let nested = #"{"a":"# + String(repeating: "[", count: 2000)
            for text in [
                nested, #"{"a":01}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{"a":"\x"}"#, #"{"a":tru}"#, "{}{}",
                #"{"a":"\#u{7}"}"#, #"{"a":1.}"#, #"{"a":"\u12g4"}"#,
            ] {
                #expect(await client.send(push.with(body: text)).text == "400 PayloadEmpty", "\(text)")
            }
            push.body = [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]
            #expect(await client.send(push).text == "400 PayloadEmpty")
            let all = #" { "a" : [1, -2.5e+3, true, false, null, "\u00e9\n推", {}, []] } "#
            #expect(await client.send(push.with(body: all)).text == "200")
        }
    }
}
