internal import DeliveryTesting
internal import Foundation
internal import Synchronization

/// Runs tasks one job at a time on one thread, in an order that a seed fixes, on a clock of its own.
///
/// Every job belongs to a process, which can be paused and can die. A process that has died is run to its end, so that
/// nothing is left behind, while none of what it does has any effect: whoever acts for it asks ``isAlive(_:)``.
// Everything happens on the thread that runs it.
package final class Scheduler: @unchecked Sendable {
    /// The numbers that decide everything.
    package var chance: Chance
    /// Time since it began.
    package private(set) var elapsed = Duration.zero
    /// The process whose job runs now; 0 is the world around them.
    package private(set) var current = 0
    /// The number of jobs that were run.
    package private(set) var steps = 0
    /// A number that any difference in the course of events changes.
    package private(set) var trace: UInt64 = 14_695_981_039_346_656_037
    /// The events, when they are to be told.
    package private(set) var story: [String]?
    /// Called before each job of a process.
    package var beforeStep: @Sendable (Int) -> Void = { _ in }
    /// Called when a process has died.
    package var onDeath: @Sendable (Int) -> Void = { _ in }

    private var ready: [(job: UnownedJob, process: Int)] = []
    private var timers: [Timer] = []
    private var nextTimer = 0
    private var processes = [Process()]
    private let executor = JobExecutor()

    private struct Process {
        var isAlive = true
        var pausedUntil = Duration.zero
    }

    private struct Timer {
        let id: Int
        let due: Duration
        let process: Int
        var isStoppable = false
        let fire: () -> Void
    }

    /// A scheduler that a seed drives.
    package init(seed: UInt64, isTelling: Bool) {
        chance = Chance(seed: seed)
        story = isTelling ? [] : nil
        JobExecutor.install()
    }

    /// Tells what happens.
    package func tell(_ event: @autoclosure () -> String) {
        story?.append("\(elapsed / .seconds(1)) [\(current)] \(event())")
    }

    // MARK: Processes

    /// Begins a process; its tasks begin with `body`.
    package func spawn(_ body: @escaping @Sendable (Int) async -> Void) -> Int {
        processes.append(Process())
        let process = processes.count - 1
        within(process) { _ = Task { await body(process) } }
        return process
    }

    /// True if a process's actions have an effect.
    package func isAlive(_ process: Int) -> Bool { processes[process].isAlive }

    /// Ends a process: whatever it waits for ends, and nothing that it does counts.
    package func kill(_ process: Int) {
        guard process > 0, processes[process].isAlive else { return }
        note(UInt64(process) | 1 << 32)
        tell("process \(process) dies")
        processes[process].isAlive = false
        processes[process].pausedUntil = .zero
        onDeath(process)
        let waiting = timers.filter { $0.process == process }
        timers.removeAll { $0.process == process }
        for timer in waiting { within(process, timer.fire) }
    }

    /// Stops a process for a while, as a machine that is suspended does: its jobs and timers wait.
    package func pause(_ process: Int, for duration: Duration) {
        guard process > 0, processes[process].isAlive else { return }
        note(UInt64(process) | 1 << 33)
        tell("process \(process) stands still for \(duration)")
        processes[process].pausedUntil = max(processes[process].pausedUntil, elapsed + duration)
    }

    /// Ends what a process waits for that a signal ends.
    package func wake(_ process: Int) {
        let waiting = timers.filter { $0.process == process && $0.isStoppable }
        timers.removeAll { $0.process == process && $0.isStoppable }
        for timer in waiting { within(process, timer.fire) }
    }

    private func within(_ process: Int, _ body: () -> Void) {
        let former = current
        current = process
        body()
        current = former
    }

    // MARK: Time

    /// Does something at a time, for the world.
    package func at(_ time: Duration, _ body: @escaping () -> Void) { _ = add(due: time, 0, false, body) }

    /// Waits as the current process.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, or the process has died.
    package func sleep(for duration: Duration, isStoppable: Bool = false) async throws(CancellationError) {
        let process = current
        guard isAlive(process), !Task.isCancelled else { throw CancellationError() }
        let timer = Sleeper()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                timer.continuation = continuation
                timer.id = add(due: elapsed + max(duration, .zero), process, isStoppable) { timer.wake() }
            }
        } onCancel: {
            timers.removeAll { $0.id == timer.id }
            within(process) { timer.wake() }
        }
        guard isAlive(process), !Task.isCancelled else { throw CancellationError() }
    }

    private func add(due: Duration, _ process: Int, _ isStoppable: Bool, _ fire: @escaping () -> Void) -> Int {
        nextTimer += 1
        let timer = Timer(id: nextTimer, due: due, process: process, isStoppable: isStoppable, fire: fire)
        let place = timers.firstIndex { $0.due > due } ?? timers.count
        timers.insert(timer, at: place)
        return timer.id
    }

    // MARK: Running

    /// Runs `body` as the world, and all that it begins, until it returns; false when everything waits for ever.
    package func run(_ body: @escaping @Sendable () async -> Void) -> Bool {
        let outer = JobExecutor.scheduler
        JobExecutor.scheduler = self
        defer { JobExecutor.scheduler = outer }
        let isDone = Mutex(false)
        _ = Task {
            await body()
            isDone.withLock { $0 = true }
        }
        while !isDone.withLock({ $0 }) {
            fireDue()
            guard let place = nextReady() else {
                guard let next = nextMoment() else { return false }
                elapsed = max(elapsed, next)
                continue
            }
            let (job, process) = ready.remove(at: place)
            step(job, process)
        }
        return true
    }

    /// Runs what is left of dead processes, so that nothing of them stays in memory.
    package func drain() {
        JobExecutor.scheduler = self
        defer { JobExecutor.scheduler = nil }
        for process in processes.indices.dropFirst() { kill(process) }
        while let (job, process) = ready.popLast() { step(job, process) }
    }

    private func step(_ job: UnownedJob, _ process: Int) {
        steps += 1
        elapsed += .microseconds(chance.number(below: 4000))
        note(UInt64(process))
        if process > 0 { beforeStep(process) }
        within(process) { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    private func fireDue() {
        while let place = timers.firstIndex(where: { $0.due <= elapsed && !isPaused($0.process) }) {
            let timer = timers.remove(at: place)
            within(timer.process, timer.fire)
        }
    }

    private func nextReady() -> Int? {
        guard !ready.isEmpty else { return nil }
        let place = chance.number(below: ready.count)
        return isPaused(ready[place].process) ? ready.indices.first { !isPaused(ready[$0].process) } : place
    }

    private func isPaused(_ process: Int) -> Bool { processes[process].pausedUntil > elapsed }

    /// When something can happen next.
    private func nextMoment() -> Duration? {
        let timed = timers.map { max($0.due, processes[$0.process].pausedUntil) }
        return (timed + ready.map { processes[$0.process].pausedUntil }).min()
    }

    private func note(_ value: UInt64) {
        trace = (trace ^ value ^ UInt64(bitPattern: elapsed.microseconds)) &* 1_099_511_628_211
    }

    fileprivate func enqueue(_ job: UnownedJob) { ready.append((job, current)) }
}

/// A job that waits for a timer, and is woken once.
// Everything happens on the scheduler's thread.
private final class Sleeper: @unchecked Sendable {
    var continuation: UnsafeContinuation<Void, Never>?
    var id = 0

    func wake() {
        continuation?.resume()
        continuation = nil
    }
}

/// Takes the jobs that are begun on a scheduler's thread; those of others go where they always go.
private final class JobExecutor: TaskExecutor {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The scheduler that runs on this thread.
    static var scheduler: Scheduler? {
        get { pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() } }
        set { pthread_setspecific(key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Puts itself before the runtime's own executor, once.
    static func install() { _ = installed }

    private static let installed: Void = {
        // Where the runtime is linked in, the linker gives it another name: .ci/optimised.
        let program = dlopen(nil, RTLD_LAZY)
        guard let place = dlsym(program, "swift_task_enqueueGlobal_hook") ?? dlsym(program, "job_hook") else {
            fatalError("this Swift runtime has no hook for jobs")
        }
        place.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
            if let scheduler { scheduler.enqueue(job) } else { original(job) }
        }
    }()

    func enqueue(_ job: consuming ExecutorJob) { Self.scheduler?.enqueue(UnownedJob(job)) }
}

extension Duration {
    /// In whole microseconds.
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
