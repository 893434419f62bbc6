/// How many requests one connection may have at a time, besides what the server allows.
///
/// Apple slows down whoever sends it bad requests, and says to follow (<doc:AppleService#Connections>): each 4xx takes
/// an eighth away, each eight others give one back.
struct StreamWindow {
    private let maximum: Int
    private let minimum: Int
    /// Eight times the limit that answers have left.
    private var eighths: Int

    /// Starts at the maximum.
    init(maximum: Int) {
        self.maximum = maximum
        minimum = max(1, maximum / 8)
        eighths = maximum * 8
    }

    /// The limit.
    var limit: Int { eighths / 8 }

    /// Notes an answer.
    mutating func note(status: Int) {
        // 410 is no error to Apple.
        if (400..<500).contains(status) && status != 410 {
            eighths = max(minimum * 8, eighths - eighths / 8)
        } else {
            eighths = min(maximum * 8, eighths + 1)
        }
    }
}
