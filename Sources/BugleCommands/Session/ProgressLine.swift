internal import Base
internal import Apply
internal import Push

/// Shows the progress of an apply on standard error: one line, redrawn on a terminal; elsewhere nothing unless verbose.
struct ProgressLine: Sendable {
    let console: Console
    let isVerbose: Bool

    /// Shows an event.
    var report: @Sendable (ApplyEvent) -> Void {
        { event in
            switch event {
            case .began(let change, let index, let count):
                draw("\(bar(index - 1, count)) \(index)/\(count) \(change.action.rawValue) \(change.name)")
            case .progress(let change, let progress): draw("\(change.name): \(progress.text)")
            case .ended: break
            case .waiting(let why, let duration): draw("waiting \(duration.roundedSeconds) s: \(why)")
            case .waitingForLock(let record): note("waiting for the lock of \(record.holder)")
            case .warning(let text): console.say("bugle: warning: \(text)")
            }
        }
    }

    /// Draws the progress of a delivery.
    func draw(_ progress: DeliveryProgress) { draw(progress.text) }

    /// Clears the line.
    func end() {
        if console.isErrorTerminal { console.error("\r\u{1B}[K") }
    }

    private func draw(_ text: String) {
        if console.isErrorTerminal {
            console.error("\r\u{1B}[K" + escaped(text))
        } else if isVerbose {
            console.say(text)
        }
    }

    private func note(_ text: String) {
        if console.isErrorTerminal { draw(text) } else { console.say(text) }
    }

    private func bar(_ done: Int, _ count: Int) -> String {
        let width = 20
        let filled = count == 0 ? width : done * width / count
        let (full, empty) = console.usesUnicode ? ("█", "░") : ("#", ".")
        return String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    }
}

extension DeliveryProgress {
    /// The progress in one line.
    var text: String {
        guard let targets else { return "freezing the audience" }
        var parts = ["\(grouped(accepted)) of \(grouped(targets)) accepted"]
        let reasons = refused.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        parts += reasons.prefix(3).map { "\(grouped($0.value)) \($0.key)" }
        if reasons.count > 3 {
            parts.append("\(grouped(reasons.dropFirst(3).reduce(0) { $0 + $1.value })) refused for other reasons")
        }
        if inDoubt > 0 { parts.append("\(grouped(inDoubt)) in doubt") }
        parts.append("\(grouped(Int(perSecond.rounded())))/s")
        if let remaining { parts.append("\(remaining.roundedSeconds) s left") }
        return parts.joined(separator: ", ")
    }
}

extension Duration {
    /// Whole seconds, rounded up.
    var roundedSeconds: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
