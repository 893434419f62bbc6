/// The platforms and profile of an audience as small numbers, so that many audiences can be compared quickly.
struct AudienceKind {
    /// One bit per platform.
    let platforms: Int
    /// The number of the profile; nil for any.
    let profile: Int?

    /// Creates the kind of an audience; a profile without a number in `profiles` gets the next one.
    init(_ shape: AudienceShape, profiles: inout [String: Int]) {
        platforms = shape.platforms.reduce(0) { $0 | ($1 == .ios ? 1 : 2) }
        profile = shape.deviceProfile.map { name in
            let number = profiles[name] ?? profiles.count
            profiles[name] = number
            return number
        }
    }

    /// True if a device can be in both.
    func mayMeet(_ other: AudienceKind) -> Bool {
        guard platforms & other.platforms != 0 else { return false }
        guard let profile, let theirs = other.profile else { return true }
        return profile == theirs
    }
}

/// Counts audiences by kind.
struct KindCounter {
    private var all = [0, 0, 0, 0]
    private var unprofiled = [0, 0, 0, 0]
    private var profiled: [Int: [Int]] = [:]

    /// Adds `step` audiences of a kind.
    mutating func count(_ kind: AudienceKind, by step: Int) {
        all[kind.platforms] += step
        if let profile = kind.profile {
            profiled[profile, default: [0, 0, 0, 0]][kind.platforms] += step
        } else {
            unprofiled[kind.platforms] += step
        }
    }

    /// Returns the number of audiences that can share a device with a kind.
    func count(compatibleWith kind: AudienceKind) -> Int {
        (1...3).filter { $0 & kind.platforms != 0 }.reduce(0) { sum, platforms in
            guard let profile = kind.profile else { return sum + all[platforms] }
            return sum + unprofiled[platforms] + (profiled[profile]?[platforms] ?? 0)
        }
    }
}
