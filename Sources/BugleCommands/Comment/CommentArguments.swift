internal import ArgumentParser

/// A commit on the command line: 7 to 64 hexadecimal digits, and so nothing that Markdown reads.
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

/// The address of a page on the command line, of characters that cannot end a link.
struct PageAddress: ExpressibleByArgument, Sendable {
    /// The address.
    let text: String

    init?(argument: String) {
        let isWeb = argument.hasPrefix("https://") || argument.hasPrefix("http://")
        let isPlain = argument.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7f && !"<>()[]\\\"'`|@".utf8.contains(byte)
        }
        guard isWeb, isPlain, argument.utf8.count <= 2000 else { return nil }
        text = argument
    }
}

/// What a program ended with, on the command line.
struct EndedWith: ExpressibleByArgument, Sendable {
    /// The code, 0 to 255; above 128 when a signal ended it.
    let code: UInt8

    init?(argument: String) {
        guard let code = UInt8(argument) else { return nil }
        self.code = code
    }

    /// Whether nothing was wrong.
    var isGood: Bool { code == ExitStatus.success.rawValue || code == ExitStatus.changes.rawValue }

    /// What it means.
    var meaning: String { ExitStatus(rawValue: Int32(code))?.meaning ?? "bugle did not end by itself" }
}

extension ExitStatus {
    /// What it means, in a few words.
    fileprivate var meaning: String {
        switch self {
        case .success: "nothing was wrong"
        case .changes: "there are changes"
        case .failed: "the remote or the machine failed"
        case .invalid: "the configuration is invalid"
        case .credentials: "credentials are refused or missing"
        case .rateLimited: "a rate limit outlasted the retries"
        case .blocked: "a policy or a limit blocks something"
        case .unknown: "the outcome of an earlier delivery is unknown, and a person must resolve it"
        case .partial: "applied in part"
        case .stale: "the plan that was reviewed does not hold any more, and nothing was applied"
        case .confirmation: "there was nobody to ask"
        case .locked: "another apply holds the lock"
        case .usage: "it was called wrongly"
        }
    }
}
