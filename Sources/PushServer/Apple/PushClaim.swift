internal import Delivery
internal import DeviceRegistry
internal import Push
internal import Synchronization

/// The claim of one copy of the server on a push to Apple, without which it sends nothing of it.
///
/// It is a lock of the registry, renewed until it is given back; what a killed copy has claimed is free ``length``
/// later. A registry in a file belongs to one server, which needs no lock.
final class PushClaim: Sendable {
    /// The time after which another copy may take over.
    static let length = Duration.seconds(15)
    /// The interval between renewals.
    private static let interval = Duration.seconds(5)

    /// The lock under which the journal is written; nil in a file.
    let lease: Lease?
    private let store: Journal
    private let end: Mutex<ContinuousClock.Instant>
    private let renewal = Mutex<Task<Void, Never>?>(nil)

    private init(_ lease: Lease?, _ store: Journal, until end: ContinuousClock.Instant) {
        self.lease = lease
        self.store = store
        self.end = Mutex(end)
    }

    /// Claims a push; nil while another copy has it.
    static func take(
        _ objectID: String, in store: Journal, isShared: Bool
    ) async throws(RegistryError) -> PushClaim? {
        guard isShared else { return PushClaim(nil, store, until: .now) }
        let begun = ContinuousClock.now
        let attempt = try await store.acquireLock(
            of: Registry.claimPrefix + objectID, holder: "bugle-server", run: ObjectID.push(), lasting: length)
        guard case .acquired(let lease) = attempt else { return nil }
        let claim = PushClaim(lease, store, until: begun + length)
        let renewing = Task { [weak claim] in
            while (try? await Task.sleep(for: interval)) != nil { await claim?.renew() }
        }
        claim.renewal.withLock { $0 = renewing }
        return claim
    }

    deinit { renewal.withLock { $0?.cancel() } }

    /// Allows requests to start as long as the lock lasts.
    var permission: Permission {
        guard lease != nil else { return .granted(for: DeliveryPermit.grace) }
        let left = end.withLock { $0 } - .now
        return left > .zero ? .granted(for: left) : .denied(.lockLost)
    }

    private func renew() async {
        guard let lease else { return }
        let begun = ContinuousClock.now
        do throws(RegistryError) {
            let isOurs = try await store.renew(lease) != nil
            end.withLock { $0 = isOurs ? begun + Self.length : begun }
        } catch {
            // Unknown is not lost: the old end applies.
        }
    }

    /// Lets other copies have the push.
    func giveBack() async {
        renewal.withLock { $0?.cancel() }
        guard let lease else { return }
        // If this fails, the claim ends by itself.
        try? await store.release(lease, lastApplied: nil)
    }
}
