/// The class of a request, as the log and metrics name it.
///
/// Paths may contain tokens or ids, so they are never shown themselves.
enum RouteClass: String, CaseIterable, Sendable {
    case installations
    case installation
    case objects
    case object
    case users
    case batch
    case push
    case pushDevices = "push-devices"
    case scheduled
    case notifications
    case date
    case simulation
    case events
    case console
    case health
    case ready
    case metrics
    case router
    case preflight
    case other

    /// Classifies a path, given as its decoded components.
    init(_ path: [String]) {
        switch path.first {
        case "health" where path.count == 1: self = .health
        case "ready" where path.count == 1: self = .ready
        case "metrics" where path.count == 1: self = .metrics
        case "console": self = .console
        case "1", "2", "v1":
            self = path.count == 2 && path[1] == "route" ? .router : .other
        case "1.1": self = Self.call(path[1...])
        default: self = .other
        }
    }

    /// True for what load balancers ask, for which a place is kept.
    var isProbe: Bool { self == .health || self == .ready }

    private static func call(_ path: ArraySlice<String>) -> RouteClass {
        let second = path.dropFirst().first
        switch path.first {
        case "installations": return second == nil ? .installations : .installation
        case "classes" where second == "_Installation": return path.count == 2 ? .installations : .installation
        case "classes": return path.count <= 2 ? .objects : .object
        case "scan" where second == "classes":
            return path.dropFirst(2).first == "_Installation" ? .installations : .objects
        case "users", "login", "requestEmailVerify", "requestPasswordReset": return .users
        case "batch": return .batch
        case "push": return second == "devices" ? .pushDevices : .push
        case "scheduledPushMessages": return .scheduled
        case "notifications", "tables": return .notifications
        case "date": return .date
        case "bugle": return second == "events" && path.count == 2 ? .events : .simulation
        default: return .other
        }
    }
}
