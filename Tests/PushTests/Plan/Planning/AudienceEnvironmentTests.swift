import Push
import RemoteTesting
import Testing

@Suite struct AudienceEnvironmentTests {
    @Test func environmentsAreThoseOfTheProfilesThatPush() throws {
        let explanation = AudienceCount(
            devices: 100, platforms: ["ios": 70, "android": 30],
            deviceProfiles: ["driver": 20, "beta": 5, "stranger": 10, "": 65])
        func profile(_ name: String, _ environment: PushEnvironment) -> DeviceProfile {
            DeviceProfile(
                name: name, origin: Sample.origin(name), environment: environment, topic: "com.example.\(name)",
                credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")))
        }
        func environments(_ environment: PushEnvironment, _ explanation: AudienceCount) throws
            -> [PushEnvironment: Int]?
        {
            let workspace = Sample.workspace([Sample.campaign("a") { $0.environment = environment }]) {
                $0.deviceProfiles = [profile("driver", .production), profile("beta", .development)]
            }
            var input = Ledger.answered(
                Sample.input(workspace, RemoteState(now: Sample.start, ledgerStarted: true)))
            input.explainsAudiences = true
            for digest in Planner.questions(input).explanations.keys { input.state.explanations[digest] = explanation }
            return try #require(Planner.plan(input).plan.changes.first { $0.name == "a" })
                .audience?.review.environments
        }
        // Of those without a profile, 30 are no iPhones.
        #expect(try environments(.production, explanation) == [.production: 65, .development: 5])
        #expect(try environments(.development, explanation) == [.production: 20, .development: 50])
        #expect(try environments(.production, AudienceCount(devices: 0)) == [:])
        #expect(
            try environments(
                .production, AudienceCount(devices: 9, platforms: ["android": 9], deviceProfiles: ["": 9]))
                == [:])
    }
}
