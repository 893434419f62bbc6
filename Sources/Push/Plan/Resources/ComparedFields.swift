internal import Base

extension DeviceProfile {
    /// The fields in plans and on the remote; those of the certificate only if it could be read.
    var fields: JSONValue {
        var fields: JSONObject = [
            "environment": .string(environment.rawValue), "topic": .string(topic),
        ]
        if isDefault { fields["default"] = true }
        switch credential {
        case .certificate:
            if let facts {
                fields["certificate"] = .string("sha256:" + facts.fingerprint)
                if let end = facts.expiresAt { fields["expires"] = .string(end.text) }
            }
        case .token(let teamId, let keyId, _):
            fields["teamId"] = .string(teamId)
            fields["keyId"] = .string(keyId)
            if let facts { fields["key"] = .string("sha256:" + facts.fingerprint) }
        }
        return .object(fields)
    }

    /// The fields read from the certificate or key, which keep their recorded values when it cannot be read.
    static let readFields = ["certificate", "expires", "key"]
}

extension Channel {
    /// The fields in plans and on the remote.
    var fields: JSONValue {
        var fields: JSONObject = [:]
        if let description { fields["description"] = .string(description) }
        if let broadcast {
            fields["broadcast"] = [
                "topic": .string(broadcast.topic), "storage": .string(broadcast.storage.rawValue),
            ]
        }
        return .object(fields)
    }
}

extension Segment {
    /// The fields in plans and on the remote.
    var fields: JSONValue {
        var fields: JSONObject = ["where": condition]
        if let description { fields["description"] = .string(description) }
        return .object(fields)
    }
}
