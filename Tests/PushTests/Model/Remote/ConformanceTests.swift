import RemoteTesting
import Testing

@Suite struct ConformanceTests {
    /// The applier is tested against it, so it must be as real ones are.
    @Test func theRemoteInMemoryKeepsToWhatEveryRemoteKeepsTo() async {
        let service = FakeService()
        let remote = FakeRemote(service)
        let conformance = RemoteConformance(
            reader: remote, writer: remote, pass: { service.advance($0) },
            footprint: { String(remote.writes.count) })
        #expect(await conformance.violations() == [])
    }
}
