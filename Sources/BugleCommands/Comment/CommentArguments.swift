internal import ArgumentParser
internal import PushReport

/// A commit on the command line: 7 to 64 hexadecimal digits, and so nothing that Markdown would interpret.
struct CommitHash: ExpressibleByArgument, Sendable {
    /// The digits.
    let text: String

    init?(argument: String) {
        guard (7...64).contains(argument.utf8.count), argument.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return nil
        }
        text = argument
    }
}

extension PageLink: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

/// A program's exit code on the command line.
struct EndedWith: ExpressibleByArgument, Sendable {
    /// The code, 0 to 255; above 128 when a signal ended the program.
    let code: UInt8

    init?(argument: String) {
        guard let code = UInt8(argument) else { return nil }
        self.code = code
    }

    /// True when nothing was wrong.
    var isGood: Bool { code == ExitStatus.success.rawValue || code == ExitStatus.changes.rawValue }

    /// The label of the exit code.
    var meaning: Phrase { ExitStatus(rawValue: Int32(code))?.label ?? .endedOtherwise }
}

extension ExitStatus {
    /// A short label.
    fileprivate var label: Phrase {
        switch self {
        case .success: .endedWell
        case .changes: .endedWithChanges
        case .failed: .endedFailed
        case .invalid: .endedInvalid
        case .credentials: .endedCredentials
        case .rateLimited: .endedLimited
        case .blocked: .endedBlocked
        case .unknown: .endedUnknown
        case .partial: .endedPartial
        case .stale: .endedStale
        case .confirmation: .endedUnconfirmed
        case .locked: .endedLocked
        case .usage: .endedUsage
        }
    }
}
