internal import ArgumentParser
internal import CLibrary
internal import PushModel
internal import PushServer

/// What the program says, and how it ends.
enum Output {
    /// The settings are wrong.
    static let invalid = ExitCode(3)

    /// Writes one line at once, also into a pipe.
    static func print(_ line: String) {
        Swift.print(line)
        fflush(nil)
    }

    /// What the server reaches devices by, so that nobody takes simulated devices for real ones.
    static func ways(_ workspace: AppleWorkspace?) -> String {
        guard let workspace else {
            return "all devices are simulated: nothing leaves this server, because 'workspace' names no DeviceProfiles"
        }
        let profiles = workspace.profiles.filter { $0.facts != nil }.map(\.name)
        guard !profiles.isEmpty else {
            return "no device is reached: no DeviceProfile of the workspace has its credential here"
        }
        return "Apple's devices are pushed to by \(profiles.joined(separator: ", ")); there is no way to other devices"
    }

    /// Runs `body`, and ends the program with 3 after printing what is wrong with the file of settings.
    static func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as InvalidSettings {
            ServerLogHandler.writeToStandardError(error.text)
            throw invalid
        }
    }
}
