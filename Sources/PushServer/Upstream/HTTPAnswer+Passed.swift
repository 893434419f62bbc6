internal import HTTP
internal import HTTPTypes

extension HTTPAnswer {
    /// Creates a response from another backend's, without the headers that belong to its connection.
    init(passed response: HTTP.HTTPResponse) {
        self.init(status: response.status, json: nil)
        body = response.body
        var fields = HTTPFields()
        for field in response.headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        for (name, value) in PassedHead.kept(fields) {
            // The body is already decompressed, and the server sets its own date.
            guard let name = HTTPField.Name(name), name != .contentEncoding, name != .date else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
    }
}
