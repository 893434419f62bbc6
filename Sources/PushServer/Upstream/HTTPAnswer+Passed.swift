internal import CurlHTTP
internal import HTTPTypes

extension HTTPAnswer {
    /// The answer of another backend, with its headers but for those of the connection.
    init(passed response: CurlHTTP.HTTPResponse) {
        self.init(status: response.status, json: nil)
        body = response.body
        var fields = HTTPFields()
        for field in response.headers.fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            fields.append(HTTPField(name: name, value: field.value))
        }
        for (name, value) in PassedHead.kept(fields) {
            // The body was unpacked, and the server tells the time itself.
            guard let name = HTTPField.Name(name), name != .contentEncoding, name != .date else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
    }
}
