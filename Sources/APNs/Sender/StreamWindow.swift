/// How many requests one connection may have at a time.
///
/// Apple slows down whoever sends it bad requests, and says to follow (apns.md, A2): each 4xx takes an eighth away, each
/// eight others give one back. What the server allows besides is learned from what libcurl holds back.
struct StreamWindow {
    private let maximum: Int
    private let minimum: Int
    /// Eight times the limit that answers have left.
    private var eighths: Int
    /// What the server was seen to allow.
    private var allowed: Int
    /// Answers since it was seen.
    private var answersSince = 0

    /// Starts at the maximum.
    init(maximum: Int) {
        self.maximum = maximum
        minimum = max(1, maximum / 8)
        eighths = maximum * 8
        allowed = maximum
    }

    /// The limit.
    var limit: Int { min(eighths / 8, allowed) }

    /// Notes an answer.
    mutating func note(status: Int) {
        // 410 is no error to Apple.
        if (400..<500).contains(status) && status != 410 {
            eighths = max(minimum * 8, eighths - eighths / 8)
        } else {
            eighths = min(maximum * 8, eighths + 1)
        }
        guard allowed < maximum else { return }
        answersSince += 1
        // The server may allow more by now: look again, a few more each time.
        if answersSince >= allowed {
            allowed = min(maximum, allowed + max(1, allowed / 16))
            answersSince = 0
        }
    }

    /// Notes that of so many requests some were held back.
    mutating func note(waiting: Int, of inFlight: Int) {
        guard waiting > 0 else { return }
        allowed = max(1, inFlight - waiting)
        answersSince = 0
    }
}
