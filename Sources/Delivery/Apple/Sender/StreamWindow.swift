/// The limit on one connection's concurrent requests, besides the server's own.
///
/// Apple slows down clients that send bad requests, and says to adapt (docs/background/apple/service.md#connections):
/// each 4xx takes an eighth away, and eight other answers give one request back.
struct StreamWindow {
    private let maximum: Int
    private let minimum: Int
    /// Eight times the current limit.
    private var eighths: Int

    /// Starts at the maximum.
    init(maximum: Int) {
        self.maximum = maximum
        minimum = max(1, maximum / 8)
        eighths = maximum * 8
    }

    /// The current limit.
    var limit: Int { eighths / 8 }

    /// Adapts the limit to an answer's status.
    mutating func note(status: Int) {
        // Apple does not treat 410 as an error.
        if (400..<500).contains(status) && status != 410 {
            eighths = max(minimum * 8, eighths - eighths / 8)
        } else {
            eighths = min(maximum * 8, eighths + 1)
        }
    }
}
