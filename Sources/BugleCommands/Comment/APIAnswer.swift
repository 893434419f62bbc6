internal import Base

/// A response of the GitHub or GitLab API, as saved by a script.
struct APIAnswer: Sendable {
    /// The parsed body.
    let value: JSONValue
    private let file: String

    /// Reads a response.
    ///
    /// - Throws: ``Failure`` when the file does not exist or is not JSON.
    init(file: String) throws {
        self.file = file
        let bytes = try InputFile.read(file)
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Failure(.failed, "\(file) is not what the API answers: \(error.description)")
        }
    }

    /// Returns the error for an unexpected response, with the API's message.
    func failure(expecting what: String) -> Failure {
        let said = value["message"]?.string ?? value["error"]?.string
        return Failure(.failed, "\(file) is not \(what)\(said.map { ", the API says '\($0)'" } ?? "")")
    }
}
