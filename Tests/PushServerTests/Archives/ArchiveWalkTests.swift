import Base
import Foundation
import Testing

@testable import PushServer

/// Archives as the tools of the system make them, and broken ones.
@Suite struct ArchiveWalkTests {
    private static let texts = ["_Installation.0.jsonl": lines(20_000), "_User.0.jsonl": "{}\n", "empty.json": ""]

    private static func lines(_ count: Int) -> String {
        (0..<count).map { "{\"objectId\":\"\($0)\",\"token\":\"\($0 &* 2_654_435_761)\"}\n" }.joined()
    }

    /// Writes the texts into a folder `app` and runs a line of the shell beside it.
    private func made(_ shell: String, in folder: URL) async throws {
        let app = folder.appending(path: "app")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        for (name, text) in Self.texts { try Data(text.utf8).write(to: app.appending(path: name)) }
        try Data("junk".utf8).write(to: app.appending(path: "._User.0.jsonl"))
        try await runShell(shell, in: folder)
    }

    /// Every file of a path with its text, by the last part of its name.
    private func contents(_ path: String) throws(TransferError) -> [String: String] {
        let walk = try ArchiveWalk(path: path)
        var found: [String: String] = [:]
        while let member = try walk.next() {
            var bytes: [UInt8] = []
            while true {
                let more = try member.bytes.next()
                if more.isEmpty { break }
                #expect(more.count <= 1 << 20)
                bytes += more
            }
            found[member.name.split(separator: "/").last.map(String.init) ?? ""] = String(
                decoding: bytes, as: UTF8.self)
        }
        return found
    }

    @Test(arguments: [
        "mv app a", "tar cf a app", "tar czf a app", "tar --format=pax -czf a app",
        "tar --format=v7 -czf a ./app",
        "gzip app/*.jsonl; tar cf a app", "gzip app/*.jsonl; mv app a", "tar cf - app | gzip | gzip > a",
        "mkdir a; tar czf a/part1.tgz app/_I*; tar cf a/part2.tar app/_U* app/e*",
        "zip -qr a app; mv a.zip a", "zip -q0r a app; mv a.zip a", "zip -qr - app | cat > a",
        "zip -qr -fz a app; mv a.zip a",
        "zip -qrz a app <<<'a comment'; mv a.zip a", "gzip app/*.jsonl; zip -qr a app; mv a.zip a",
        "(gzip -c app/_I* | head -c 0; cd app; d=$(printf 'x%.0s' {1..150}); mkdir $d; mv *.json* $d; cd ..; tar czf a app)",
        "(cd app; tar czPf ../a --transform 's,^,/../../etc/,' *)",
        "tar cf b app/_I*; tar cf c app/_U* app/e*; cat b c > a",
        "tar cf b app/_I*; tar cf c app/_U* app/e*; cat b c | gzip > a",
        "tar cf b app/_I*; tar cf c app/_U* app/e*; (gzip -c b; gzip -c c; head -c 700 /dev/zero) > a",
        "tar -b1 -cf b app/_I*; truncate -s -512 b; tar cf c app/_U* app/e*; cat b c > a",
        "(tar cf - app; head -c 300 /dev/zero) > a",
        "mkdir app/x; mv app/*.json* app/x; (cd app; ln -s x/*.json* .); mv app a",
    ])
    func everyPackingGivesTheSameFiles(shell: String) async throws {
        try await inFolder { folder in
            try await made(shell, in: folder)
            #expect(try contents(folder.appending(path: "a").path) == Self.texts)
        }
    }

    /// A file that gzip packed in several parts, one behind the other.
    @Test func partsOfGzipAreOneFile() async throws {
        try await inFolder { folder in
            try await made("(gzip -c app/_User*; gzip -c app/_User*) > a.jsonl.gz", in: folder)
            #expect(try contents(folder.appending(path: "a.jsonl.gz").path) == ["a.jsonl": "{}\n{}\n"])
        }
    }

    @Test(arguments: [
        ("tar czf - app | head -c 40000 > a", "ends too early"), ("tar cf - app | head -c 40000 > a", "ends too early"),
        ("tar cf - app | head -c 1000 > a", "ends too early"),
        ("gzip -c app/_I* | head -c 30000 > a", "ends too early"),
        ("tar czf a app; printf XXXXXXXX | dd of=a bs=1 seek=30000 conv=notrunc", "is damaged"),
        ("tar cf a app; printf X | dd of=a bs=1 seek=5 conv=notrunc", "not a tar header"),
        ("zip -qr a app; mv a.zip a; printf XXXXXXXX | dd of=a bs=1 seek=30000 conv=notrunc", "is damaged"),
        ("zip -qr a app; mv a.zip a; printf XXXXXXXX | dd of=a bs=1 seek=30000 conv=notrunc", "is damaged"),
        ("head -c 300000000 /dev/zero | gzip > a", "more than 200 times"),
        ("head -c 300000000 /dev/zero > b; tar czf a b", "more than 200 times"),
        ("head -c 300000000 /dev/zero | zip -q a -; mv a.zip a", "more than 200 times"),
        ("cp app/_I* b; for i in 1 2 3 4 5 6; do tar cf c b; mv c b; done; mv b a", "archives within archives"),
        ("cp app/_I* b; for i in 1 2 3 4 5 6; do gzip b; mv b.gz b; done; mv b a", "archives within archives"),
        ("printf BZh91AY > a", "packed with bzip2"), (#"printf '\3757zXZ\0' > a"#, "packed with xz"),
        (":", "does not exist"),
        ("gzip -c app/_I* > a; printf more >> a", "unexpected data follows"),
        ("(tar cz app; head -c 9 /dev/zero; tar cz app) > a", "unexpected data follows"),
        (#"tar czf a app; s=$(stat -c %s a); printf '\377' | dd of=a bs=1 seek=$((s - 6)) conv=notrunc"#, "is damaged"),
        ("tar cf a app; printf more >> a", "ends too early"),
        ("tar cf a app; head -c 2000 /dev/urandom >> a", "not a tar header"),
        (
            #"zip -qr a app; mv a.zip a; s=$(stat -c %s a); printf '\2\0\2' | dd of=a bs=1 seek=$((s - 14)) conv=notrunc"#,
            "longer or shorter"
        ),
        (
            #"zip -qr a app; mv a.zip a; s=$(stat -c %s a); printf '\1' | dd of=a bs=1 seek=$((s - 18)) conv=notrunc"#,
            "in several files"
        ),
        ("mv app a; ln -s /etc/passwd a/_Team.0.jsonl", "is not a file, or is a link"),
        ("ln -s _User.0.jsonl app/_Team.0.jsonl; tar czf a app", "_Team.0.jsonl is a link"),
        ("ln app/_User.0.jsonl app/_Team.0.jsonl; tar cf a app", "is a link"),
        ("truncate -s 1M app/s; echo x >> app/s; tar -S --format=gnu -cf a app", "app/s is a file with holes"),
        ("mv app a; ln -s nothing a/_Team.0.jsonl", "is not a file, or is a link"),
        ("mv app a; mkdir b; ln -s ../b a/_Team", "is not a file, or is a link"),
        ("mv app a; mkfifo a/_Team", "is not a file, or is a link"),
    ])
    func whatCannotBeReadSaysWhereAndWhatToDo(shell: String, words: String) async throws {
        try await inFolder { folder in
            try await made(shell, in: folder)
            let path = folder.appending(path: "a").path
            let error = #expect(throws: TransferError.self) { try contents(path) }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            #expect(error?.description.contains(path) == true, "\(error?.description ?? "")")
        }
    }

    /// Names that share their packed bytes: what makes a small zip endless.
    @Test func filesOfAZipThatShareTheirBytesAreRefused() async throws {
        try await inFolder { folder in
            try await made("zip -q a app/_I*; mv a.zip a", in: folder)
            let file = folder.appending(path: "a")
            let bytes = Array(try Data(contentsOf: file))
            let start = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
            let end = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 5, 6]) })
            let list = Array(repeating: bytes[start..<end], count: 40).flatMap { $0 }
            var tail = Array(bytes[end...])
            for index in 0..<4 { tail[12 + index] = UInt8(truncatingIfNeeded: list.count >> (8 * index)) }
            try Data(bytes[..<start] + list + tail).write(to: file)
            let error = #expect(throws: TransferError.self) { try contents(file.path) }
            #expect(error?.description.contains("claim more bytes than it has") == true, "\(error?.description ?? "")")
        }
    }

    /// A number of files that is no number of 63 bits.
    @Test func aZipOfMoreFilesThanCanBeIsRefused() async throws {
        try await inFolder { folder in
            try await made("zip -q a app/_User*; mv a.zip a", in: folder)
            let file = folder.appending(path: "a")
            let bytes = Array(try Data(contentsOf: file))
            let start = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
            let end = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 5, 6]) })
            func number(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
            // The end of a list whose numbers take 64 bits, and where it is.
            var tail: [UInt8] = [0x50, 0x4B, 6, 6] + repeatElement(0, count: 28)
            tail += number(1 << 63)
            tail += number(UInt64(end - start))
            tail += number(UInt64(start))
            tail += [0x50, 0x4B, 6, 7, 0, 0, 0, 0]
            tail += number(UInt64(end))
            tail += [0, 0, 0, 0]
            var last = Array(bytes[end...])
            for index in 12..<20 { last[index] = 0xFF }
            try Data(bytes[..<end] + tail + last).write(to: file)
            let error = #expect(throws: TransferError.self) { try contents(file.path) }
            #expect(error?.description.contains("longer or shorter") == true, "\(error?.description ?? "")")
        }
    }

    /// Bytes that are changed, lost or repeated anywhere: an error or other files, never a crash, and never without end.
    @Test(arguments: [
        "tar cf a app", "tar --format=pax -cf a app", "zip -qr a app; mv a.zip a", "zip -q0r -fz a app; mv a.zip a",
        "tar czf a app", "gzip app/*.json*; tar cf a app",
    ])
    func mutantsAreReadToAnEnd(shell: String) async throws {
        try await inFolder { folder in
            let name = String(repeating: "x", count: 120)
            let long = "mkdir app/\(name); cp app/_User* app/\(name); rm app/_I*; "
            try await made(long + shell, in: folder)
            let file = folder.appending(path: "a")
            let whole = Array(try Data(contentsOf: file))
            var random = SeededGenerator(seed: 14)
            for _ in 0..<400 {
                var bytes = whole
                for _ in 0...Int(random.next() % 4) where !bytes.isEmpty {
                    let place = Int(random.next() % UInt64(bytes.count))
                    switch random.next() % 4 {
                    case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                    case 1: bytes.removeLast(bytes.count - place)
                    case 2:
                        bytes.replaceSubrange(place..<min(place + 8, bytes.count), with: repeatElement(0xFF, count: 8))
                    default: bytes.insert(contentsOf: bytes[place..<min(place + 512, bytes.count)], at: place)
                    }
                }
                try Data(bytes).write(to: file)
                _ = try? contents(file.path)
            }
        }
    }
}
