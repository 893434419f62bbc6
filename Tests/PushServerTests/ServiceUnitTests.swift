import Foundation
import ProgramTesting
import Testing

/// The units of the package.
@Suite struct ServiceUnitTests {
    /// The settings of the section `[Service]`, by name.
    private func service(_ name: String) throws -> [String: Set<String>] {
        let folder = repository.appending(path: ".ci/debian")
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "[Service]\n").last).prefix { $0 != "[" }
        var settings: [String: Set<String>] = [:]
        for line in section.split(separator: "\n") where !line.hasPrefix("#") {
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            settings[sides[0], default: []].insert(sides.last ?? "")
        }
        return settings
    }

    /// What one unit is for, and the other is not.
    private static let own = [
        "ExecStart", "EnvironmentFile", "ExecReload", "Restart", "RestartPreventExitStatus", "TimeoutStopSec",
        "User", "Group", "StateDirectory", "LimitNOFILE",
    ]

    @Test(arguments: ["bugle-due@.service", "bugle-run@.service"])
    func aRunnerMayDoNoMoreThanTheServer(unit: String) throws {
        let (server, runner) = (try service("bugle-server.service"), try service(unit))
        for (name, values) in server where !Self.own.contains(name) {
            #expect(runner[name] == values, "\(name)")
        }
        #expect(server["PrivateUsers"] == ["yes"] && server["NoNewPrivileges"] == ["yes"])
    }

    @Test(arguments: ["bugle-due@.service", "bugle-run@.service"])
    func aRunnerHasAUserOfItsOwn(unit: String) throws {
        let (server, runner) = (try service("bugle-server.service"), try service(unit))
        for name in ["User", "Group", "StateDirectory"] {
            let (one, other) = (try #require(server[name]), try #require(runner[name]))
            #expect(one.isDisjoint(with: other), "\(name)")
        }
    }
}
