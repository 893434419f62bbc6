/// The resource a path names.
enum Route: Equatable {
    /// `/3/device/<token>`; the token may be empty.
    case device(Substring)
    /// `/4/broadcasts/apps/<bundle>`.
    case broadcast(String)
    /// `/1/apps/<bundle>/channels`.
    case channels(String)
    /// `/1/apps/<bundle>/all-channels`.
    case allChannels(String)
    /// Any other path.
    case none

    init(_ path: String) {
        if path.hasPrefix("/3/device/") {
            let token = path.dropFirst(10)
            self = token.utf8.contains(UInt8(ascii: "/")) ? .none : .device(token)
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch Array(parts) {
        case ["3", "device"]: self = .device("")
        case let parts where parts.count == 4 && parts[..<3] == ["4", "broadcasts", "apps"] && !parts[3].isEmpty:
            self = .broadcast(String(parts[3]))
        case let parts where parts.count == 4 && parts[..<2] == ["1", "apps"] && parts[3] == "channels":
            self = .channels(String(parts[2]))
        case let parts where parts.count == 4 && parts[..<2] == ["1", "apps"] && parts[3] == "all-channels":
            self = .allChannels(String(parts[2]))
        default: self = .none
        }
    }
}
