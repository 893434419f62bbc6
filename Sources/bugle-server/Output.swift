internal import ArgumentParser
internal import CLibrary
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
