internal import Foundation
internal import PushServer

extension FuzzTarget {
    /// What `bugle-server import` is given, whatever it is packed in; a few bytes may unpack to 64 MiB.
    static let archives = FuzzTarget(
        name: "archives", sources: ["PushServer/Archives"],
        words: ["ustar", "PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "12 path=a\n", "12 size=9\n"],
        allowance: 2,
        prepare: {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-" + UUID().uuidString)
            return Prepared { bytes in
                try? Data(bytes).write(to: file)
                guard let walk = try? ArchiveWalk(path: file.path) else { return }
                while let member = try? walk.next() {
                    while let more = try? member.bytes.next(), !more.isEmpty {}
                }
            }
        })
}
