import Base
import Foundation
import ProgramTesting
import Testing

/// `bugle-server` with the addresses of every vendor in its settings.
@Suite struct ServerHostsTests {
    @Test func everyVendorsServiceMayBeElsewhere() async throws {
        let vendors = Way.allCases.filter { $0 != .apple }
        let options = ["--fcm", "giants-app", "--harmony", "10001", "--accept-every-token"]
        try await AppleSimulator.run(options) { simulator in
            try await AppleWorld.run(on: simulator) { world in
                for way in vendors { try world.declare(way) }
                let place = simulator.url.replacing("https://", with: "")
                let hosts = ["fcm", "huawei", "harmony", "honor", "xiaomi", "oppo", "vivo"].map { "--\($0)-host" }
                let tokens = ["fcm", "huawei", "honor"].map { "--\($0)-token" }
                let server = try await ServerProcess.start(
                    data: world.path("server.sqlite"),
                    ["--workspace", world.folder.path, "--apple-ca", world.path("ca.pem")]
                        + (hosts + tokens).flatMap { [$0, place] })
                for (index, way) in vendors.enumerated() {
                    _ = try await server.call(
                        "POST", "/installations",
                        [
                            "deviceType": "android", "installationId": .string("a\(index)"),
                            "vendor": .string(way.rawValue), "registrationId": .string(AppleWorld.registration(index)),
                            "channels": ["Giants"],
                        ])
                }
                _ = try await server.call(
                    "POST", "/push", ["channels": ["Giants"], "data": ["title": "Giants", "alert": "one"]])
                for way in vendors {
                    try await eventually { try await world.received(of: way).messages == 1 }
                }
                await server.kill()
            }
        }
    }
}
