internal import Base
internal import Push
internal import DeviceRegistry

/// The routing of requests between this server and another backend.
enum PushPaths {
    /// The server responsible for a call.
    enum Owner: Hashable {
        /// This server: the call is about devices and pushes, or about the server itself.
        case push
        /// The other backend.
        case upstream
    }

    /// The owner of a request; nil for a batch, whose content decides.
    static func owner(of target: RequestTarget) -> Owner? {
        guard let path = target.versioned else { return .upstream }
        guard path != ["batch"], path != ["batch", "save"] else { return nil }
        return owner(of: path, target.query)
    }

    /// The owner of a batch element; an invalid path, which the backend might take for a push path, is refused here.
    static func owner(ofElement element: JSONValue) -> Owner {
        guard let text = element["path"]?.string else { return .upstream }
        guard let target = RequestTarget(text) else { return .push }
        return target.versioned.map { owner(of: $0, target.query) } ?? .upstream
    }

    private static func owner(of path: [String], _ query: [String: String]) -> Owner {
        switch path.first {
        case "installations", "push", "notifications", "scheduledPushMessages", "bugle", "date", "stats", "statistics",
            "always_collect":
            .push
        case "classes": owner(ofClass: path.dropFirst().first)
        case "scan" where path.dropFirst().first == "classes": owner(ofClass: path.dropFirst(2).first)
        case "tables": path.dropFirst().first == "Notifications" ? .push : .upstream
        case "cloudQuery": owner(ofQuery: query["cql"] ?? "", query["pvalues"])
        default: .upstream
        }
    }

    private static func owner(ofClass name: String?) -> Owner {
        guard let name, let className = try? ClassName(name) else { return .upstream }
        return ServerMode.push.writes(className) ? .push : .upstream
    }

    private static func owner(ofQuery cql: String, _ values: String?) -> Owner {
        let values = values.flatMap { try? JSONValue(parsing: $0, limits: ServerLimits.json).array } ?? []
        let query = try? CQLQuery(cql, values: values, at: Instant(milliseconds: 0))
        // This server reports the problem with an unreadable query about devices.
        guard let query else { return cql.contains("_Installation") ? .push : .upstream }
        return owner(ofClass: query.className)
    }
}
