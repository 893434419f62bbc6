import Foundation
import Synchronization

/// A process that may be told to stop.
final class Started: Sendable {
    private let number = Mutex<Int32>(0)

    /// The process's id; 0 before it runs.
    var id: Int32 {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }

    func signal(_ signal: Int32) { if id > 0 { kill(id, signal) } }
}
