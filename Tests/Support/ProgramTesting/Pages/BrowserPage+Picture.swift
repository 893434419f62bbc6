internal import Base
package import Foundation
package import Testing

extension BrowserPage {
    /// So many pixels of the page become one of the picture that is kept: letters vanish in it, blocks stay.
    private static let block = 16

    /// Compares the page, or the element that a selector finds, with its recorded picture, block by block; with
    /// `BUGLE_RECORD=1` in the environment, records it: the blocks, or all of it for people to look at.
    package func expectPicture(
        of selector: String? = nil, at file: URL, keepsBlocks: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let picture = try await picture(of: selector)
        let name = file.lastPathComponent
        if let folder = ProcessInfo.processInfo.environment["BUGLE_PICTURES"] {
            try picture.write(to: URL(filePath: folder).appending(path: name))
        }
        try await allowScripts(true)
        try await open("about:blank")
        var difference = try await difference(of: picture, from: file, isShrunk: keepsBlocks)
        // One that is still true keeps its bytes.
        if !Self.isSmall(difference), ProcessInfo.processInfo.environment["BUGLE_RECORD"] == "1" {
            let small = try await value(
                Self.script(picture, then: "return shrunk(images[0]).canvas.toDataURL('image/png')"))
            let data = try #require(
                small.string?.split(separator: ",").last.flatMap { Data(base64Encoded: String($0)) })
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try (keepsBlocks ? data : picture).write(to: file)
            difference = try await self.difference(of: picture, from: file, isShrunk: keepsBlocks)
        }
        try await allowScripts(false)
        #expect(
            Self.isSmall(difference), "\(name): \(difference); run the tests with BUGLE_RECORD=1 to record it",
            sourceLocation: sourceLocation)
    }

    /// In thousandths. Another font moves lines a little: a tenth of the height, and some blocks.
    private static func isSmall(_ difference: JSONValue) -> Bool {
        guard let height = difference["height"]?.integer, let blocks = difference["blocks"]?.integer else {
            return false
        }
        return height < 100 && blocks < 120
    }

    /// The difference of a picture from a recorded one; null when there is none.
    private func difference(of picture: Data, from file: URL, isShrunk: Bool) async throws -> JSONValue {
        guard let kept = try? Data(contentsOf: file) else { return .null }
        return try await value(Self.script(picture, kept, then: Self.difference(isShrunk: isShrunk)))
    }

    /// The whole page as a picture, or the element that a selector finds.
    package func picture(of selector: String? = nil) async throws -> Data {
        var clip = try #require(try await call("Page.getLayoutMetrics")["cssContentSize"])
        if let selector {
            clip = try await value(
                """
                (({ x, y, width, height }) => ({ x: x + scrollX, y: y + scrollY, width, height }))
                  (document.querySelector("\(selector)").getBoundingClientRect())
                """)
        }
        clip["scale"] = 1
        let result = try await call("Page.captureScreenshot", ["captureBeyondViewport": true, "clip": clip])
        return try #require(Data(base64Encoded: result["data"]?.string ?? ""))
    }

    /// The share by which heights differ, and the share of blocks that are clearly of another colour.
    private static func difference(isShrunk: Bool) -> String {
        """
        const [now, then] = [shrunk(images[0]), \(isShrunk ? "images[1]" : "shrunk(images[1]).canvas")];
        const canvas = new OffscreenCanvas(then.width, then.height).getContext("2d");
        canvas.drawImage(then, 0, 0);
        const height = Math.min(now.canvas.height, then.height);
        const one = now.getImageData(0, 0, then.width, height).data, other = canvas.getImageData(0, 0, then.width, height).data;
        let count = 0;
        for (let index = 0; index < one.length; index += 4) {
          const apart = [0, 1, 2].map((part) => Math.abs(one[index + part] - other[index + part]));
          if (Math.max(...apart) > 40) count += 1;
        }
        return {
          height: Math.round(1000 * Math.abs(now.canvas.height - then.height) / then.height),
          blocks: Math.round(4000 * count / one.length),
        };
        """
    }

    private static func script(_ pictures: Data..., then body: String) -> String {
        """
        (async () => {
          const images = await Promise.all([\(pictures.map { "\"data:image/png;base64,\($0.base64EncodedString())\"" }.joined(separator: ", "))]
            .map(async (address) => createImageBitmap(await (await fetch(address)).blob())));
          const shrunk = (image) => {
            const canvas = document.createElement("canvas");
            canvas.width = Math.round(image.width / \(block));
            canvas.height = Math.round(image.height / \(block));
            const context = canvas.getContext("2d");
            context.imageSmoothingQuality = "high";
            context.drawImage(image, 0, 0, canvas.width, canvas.height);
            return context;
          };
          \(body)
        })()
        """
    }
}
