import HTTP
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct ConformanceTests {
    @Test func theRemoteKeepsToWhatEveryRemoteKeepsTo() async {
        let service = FakeService()
        let conformance = RemoteConformance(
            reader: service.reader, writer: service.writer,
            neighbour: (
                "reds", LeanCloudReader(name: "production", workspace: "reds", api: service.api),
                LeanCloudWriter(workspace: "reds", api: service.api)
            ), pass: { service.advance($0) },
            footprint: { String(service.seen.count { $0.method != .get }) },
            devices: ConformanceDevices(
                register: { device, age in service.register(device, seen: age) }, audience: { $0 }))
        let violations = await conformance.violations()
        #expect(violations == [])
    }
}
