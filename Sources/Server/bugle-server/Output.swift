internal import ArgumentParser
internal import CLibrary
internal import PushModel
internal import PushServer

/// The program's output and exit codes.
enum Output {
    /// The exit code for invalid settings.
    static let invalid = ExitCode(3)

    /// Prints one line and flushes it, so that a pipe gets it at once.
    static func print(_ line: String) {
        Swift.print(line)
        fflush(nil)
    }

    /// Describes how the server reaches devices, so that nobody mistakes simulated devices for real ones.
    static func ways(_ workspace: AppleWorkspace?) -> String {
        guard let workspace else {
            return "all devices are simulated: nothing leaves this server, because 'workspace' names no DeviceProfiles"
        }
        let profiles = workspace.profiles.filter { $0.facts != nil }.map(\.name)
        guard !profiles.isEmpty else {
            return "no device is reached: no DeviceProfile of the workspace has its credential here"
        }
        return "Apple's devices are reached by \(profiles.joined(separator: ", ")); other devices are not reached"
    }

    /// Describes an error in one line of a log.
    static func reason(_ error: any Error) -> String {
        let text = (error as? InvalidSettings)?.text ?? "\(error)"
        return text.split(separator: "\n").joined(separator: "; ")
    }

    /// Runs `body`; if the settings are invalid, prints the problems and exits with 3.
    static func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as InvalidSettings {
            ServerLogHandler.writeToStandardError(error.text)
            throw invalid
        }
    }
}
