internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushPlan

extension PreviewReport {
    /// The preview for programs.
    var orderedJSON: OrderedJSON {
        [
            "formatVersion": .string(BugleVersion.format),
            "tool": .string(BugleVersion.tool),
            "workspace": .string(workspace),
            "remote": .string(remote.name),
            "campaign": .string(campaign),
            "revision": .integer(revision),
            "delivery": .string(delivery.text),
            "at": .string(at?.exactText),
            "audience": .string(audience),
            "looks": .array(looks.map(\.orderedJSON)),
            "payload": [
                "bytes": .integer(size.bytes), "limit": .integer(size.limit),
                "largest": .array(
                    largestFields.map { ["name": .string($0.name), "bytes": .integer($0.bytes)] as OrderedJSON }),
                "body": .value(payload ?? .null),
            ],
            "request": ["endpoint": .string(request.endpoint.rawValue), "body": .value(request.body)],
            "diagnostics": .array(diagnostics.map(\.orderedJSON)),
        ]
    }
}
