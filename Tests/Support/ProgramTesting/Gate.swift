internal import Synchronization

/// Opens once; who comes before waits, who comes after passes.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// A closed one.
    package init() {}

    /// Lets everybody through, now and later.
    package func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the gate is open.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// A value that is set once and waited for.
package final class Promise<Value: Sendable>: Sendable {
    private let gate = Gate()
    private let stored = Mutex<Value?>(nil)

    /// One without a value.
    package init() {}

    /// Sets the value.
    package func fulfil(_ value: Value) {
        stored.withLock { $0 = value }
        gate.open()
    }

    /// The value, as soon as it is set.
    package var value: Value {
        get async {
            await gate.pass()
            guard let value = stored.withLock({ $0 }) else { fatalError("the gate opens after the value is set") }
            return value
        }
    }
}
