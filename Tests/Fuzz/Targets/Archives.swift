internal import Foundation
internal import PushServer

extension FuzzTarget {
    /// What `bugle-server import` is given, whatever it is packed in; a few bytes may unpack to 64 MiB.
    static let archives = FuzzTarget(
        name: "archives",
        words: ["ustar", "PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "12 path=a\n", "12 size=9\n"],
        allowance: 2,
        prepare: {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-" + UUID().uuidString)
            return Prepared(inputs: try await made(by: packing)) { bytes in
                try? Data(bytes).write(to: file)
                guard let walk = try? ArchiveWalk(path: file.path) else { return }
                while let member = try? walk.next() {
                    while let more = try? member.bytes.next(), !more.isEmpty {}
                }
            }
        })

    private static let packing = """
        mkdir a
        printf '%s\\n' '{"objectId":"a"}' '{"objectId":"b"}' > a/_Installation.0.jsonl
        : > a/_User.0.jsonl
        tar -b1 -cf ustar a
        tar --format=pax -b1 -cf pax a
        n=a/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        cp a/_Installation.0.jsonl $n
        tar --format=gnu -b1 -cf gnu a
        cat ustar gnu | gzip > tar.gz
        (gzip -c $n; gzip -c $n) > twice.gz
        zip -q0r stored a
        zip -qr -fz - a > streamed
        rm -r a
        """
}
