internal import CLibrary
internal import Foundation
internal import Push
internal import Synchronization

/// Prevents two processes from writing journals into the same registry's file without a lock: the second one is
/// rejected.
///
/// It is an operating system lock on a file beside the registry, so it ends with its process in any case; the file
/// remains and names the holder. The registry's own file is not used for it: closing it would drop SQLite's locks.
final class RegistryOwner: Sendable {
    private let path: String
    private let descriptor = Mutex<Int32?>(nil)

    /// Creates a candidate for the ownership of a registry's file.
    init(of registry: String) {
        path = Self.resolved(registry) + "-owner"
    }

    deinit { giveBack() }

    /// Becomes the owner, unless it already is.
    ///
    /// - Throws: ``RegistryError`` that names the other owner.
    func take() throws(RegistryError) {
        let refusal: RegistryError? = descriptor.withLock { descriptor in
            guard descriptor == nil else { return nil }
            let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            guard opened >= 0 else {
                return RegistryError(internal: "cannot open '\(path)': \(String(cString: strerror(errno)))")
            }
            guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
                let reason = errno
                defer { close(opened) }
                guard reason == EWOULDBLOCK else {
                    return RegistryError(internal: "cannot lock '\(path)': \(String(cString: strerror(reason)))")
                }
                return RegistryError(
                    internal: "another process sends from this registry: \(Self.holder(opened)); only one may without "
                        + "a lock ('\(path)')")
            }
            let line = Array((Self.holder + "\n").utf8)
            _ = ftruncate(opened, 0)
            _ = pwrite(opened, line, line.count, 0)
            descriptor = opened
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Gives up the ownership.
    func giveBack() {
        descriptor.withLock { descriptor in
            if let opened = descriptor { close(opened) }
            descriptor = nil
        }
    }

    /// This process, in words.
    private static var holder: String {
        var name = [CChar](repeating: 0, count: 256)
        _ = gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(ProcessInfo.processInfo.processName), process \(getpid()) on \(host), since "
            + Instant.system.isoText
    }

    /// The holder's own description.
    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        let text = String(decoding: bytes.prefix(count).prefix { $0 >= 0x20 }, as: UTF8.self)
        return text.isEmpty ? "one that has not written its name yet" : text
    }

    /// The path with links resolved, even if the file does not exist yet.
    private static func resolved(_ path: String) -> String {
        func real(_ path: String) -> String? {
            guard let text = realpath(path, nil) else { return nil }
            defer { free(text) }
            return String(cString: text)
        }
        if let path = real(path) { return path }
        let url = URL(fileURLWithPath: path)
        return (real(url.deletingLastPathComponent().path) ?? "") + "/" + url.lastPathComponent
    }
}
