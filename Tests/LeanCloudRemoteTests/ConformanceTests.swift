import CurlHTTP
import RemoteTesting
import Testing

@testable import LeanCloudRemote

@Suite struct ConformanceTests {
    @Test func theRemoteKeepsToWhatEveryRemoteKeepsTo() async {
        let service = FakeService()
        let conformance = RemoteConformance(
            reader: service.reader, writer: service.writer, pass: { service.advance($0) },
            footprint: { String(service.seen.count { $0.method != .get }) })
        #expect(await conformance.violations() == [])
    }
}
