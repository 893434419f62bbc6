internal import Diagnostics
internal import JSONValue
internal import PushModel

/// The first thing that is read of a plan file: whether it is one, and which.
struct SavedPlanHead: Decodable {
    var formatVersion: String?
    var tool: String?
    var integrity: String?
    var changes: Presence?

    /// That a member is there, whatever it holds.
    struct Presence: Decodable {
        init(from decoder: any Decoder) {}
    }
}

/// A plan file as it stands, before its texts are understood and without its changes and diagnostics, which are read
/// one by one; members that it does not know are passed over.
struct SavedPlan: Decodable {
    var formatVersion: String?
    var tool: String?
    var desired: String
    var lastApplied: LastApplied?
    var workspace: String
    var remote: String
    var remoteType: String
    var remoteTitle: String
    var remoteFingerprint: String
    var createdAt: Instant
    var expiresAt: Instant
    var language: String?
    var simulated: Bool?
    var targets: [String]?
    var calendar: SavedCalendar?
    var certificates: [SavedCertificate]?

    var head: SavedPlanHead { SavedPlanHead(formatVersion: formatVersion, tool: tool) }
}

/// A change as it stands in a plan file.
struct SavedChange: Decodable {
    var kind: String
    var name: String
    var action: String
    var reason: String
    var file: String?
    var line: Int?
    var delivery: Delivery?
    var audience: Audience?
    var payload: Payload?
    var before: JSONValue?
    var after: JSONValue?
    var request: Request?
    var preview: String?
    var looks: [SavedLook]?
    var blocked: [Block]

    struct Delivery: Decodable {
        var id: String
        var generation: Int
        var revision: Int
        var occurrence: String
        var at: String?
        var expiresAt: Instant?
        var expires: String?
    }

    struct Audience: Decodable {
        var devices: Int?
        var description: String
        var explanation: Explanation?
        var environments: [String: Int]?
        var lastDelivery: LastDelivery?
        var overlaps: [Overlap]?

        struct Explanation: Decodable {
            var devices: Int
            var platforms: [String: Int]?
            var deviceProfiles: [String: Int]?
            var timeZones: [String: Int]?
            var timeZoneSample: Int?
            var skipped: [String: Int]?
        }

        struct LastDelivery: Decodable {
            var revision: Int
            var at: Instant
            var devices: Int
        }

        struct Overlap: Decodable {
            var campaign: String
            var devices: Int
        }
    }

    struct Payload: Decodable {
        var bytes: Int
        var limit: Int
    }

    struct Request: Decodable {
        var endpoint: String
        var body: JSONValue
    }

    struct Block: Decodable {
        var rule: String
        var message: String
    }
}

/// A diagnostic as it stands in a plan file.
struct SavedDiagnostic: Decodable {
    var severity: String
    var code: String
    var message: String
    var file: String?
    var line: Int?
    var column: Int?
    var endLine: Int?
    var endColumn: Int?
    var help: String?
    var related: [Related]?

    struct Related: Decodable {
        var message: String
        var file: String
        var line: Int
        var column: Int
        var endLine: Int
        var endColumn: Int
    }
}
