internal import JSONValue

/// What the API of GitHub or GitLab answered, as a script saved it.
struct APIAnswer: Sendable {
    /// What it says.
    let value: JSONValue
    private let file: String

    /// Reads it.
    ///
    /// - Throws: ``Failure`` when there is no such file, or no JSON in it.
    init(file: String) throws {
        self.file = file
        let bytes = try InputFile.read(file)
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Failure(.failed, "\(file) is not what the API answers: \(error.description)")
        }
    }

    /// Why the answer is not what was hoped for, with what the API said about it.
    func failure(expecting what: String) -> Failure {
        let said = value["message"]?.string ?? value["error"]?.string
        return Failure(.failed, "\(file) is not \(what)\(said.map { ", the API says '\($0)'" } ?? "")")
    }
}
