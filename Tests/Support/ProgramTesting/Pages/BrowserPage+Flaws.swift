internal import Base
package import Push

extension BrowserPage {
    /// What a person would stumble over on the open page, in sentences: what reaches beyond the window and does not scroll
    /// by itself, text that is too pale for its ground, controls too small for a finger, and English words of the
    /// program's on a page that is in another language.
    package func flaws(in language: Language) async throws -> [String] {
        let found = try await value(Self.script)
        var flaws = (found["flaws"]?.array ?? []).compactMap(\.string)
        guard language != .english else { return flaws }
        for text in Set((found["texts"]?.array ?? []).compactMap(\.string)) where Self.englishWords.contains(text) {
            flaws.append("'\(text)' is English")
        }
        return flaws.sorted()
    }

    /// The English texts that a page in Chinese must not show: those without places, which it says otherwise. Diagnostics
    /// are English everywhere, so the words of their severities are none.
    private static let englishWords = Set(
        PhraseRow.all.filter { row in
            !["error", "warning", "note"].contains(row.name) && row.english != row.chinese && row.english.count >= 3
                && !row.english.contains(/[{<]/)
        }
        .map(\.english))

    private static let script = """
        (() => {
          const flaws = [], texts = [];
          const canvas = document.createElement("canvas");
          canvas.width = canvas.height = 1;
          const brush = canvas.getContext("2d", { willReadFrequently: true });
          const colours = new Map();
          // Red, green, blue and opacity, whatever the notation.
          const colour = (text) => {
            if (!colours.has(text)) {
              brush.clearRect(0, 0, 1, 1);
              brush.fillStyle = text;
              brush.fillRect(0, 0, 1, 1);
              const [red, green, blue, opacity] = brush.getImageData(0, 0, 1, 1).data;
              colours.set(text, [red, green, blue, opacity / 255]);
            }
            return colours.get(text);
          };
          const over = (front, back) => [0, 1, 2].map((part) => front[part] * front[3] + back[part] * (1 - front[3]));
          const light = (parts) => {
            const [red, green, blue] = parts.map((part) => part / 255)
              .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          };
          const ground = (element) => {
            const layers = [];
            for (let one = element; one; one = one.parentElement) {
              const style = getComputedStyle(one);
              if (style.backgroundImage !== "none") return null;
              layers.push(colour(style.backgroundColor));
              if (layers.at(-1)[3] === 1) break;
            }
            const paper = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
            return layers.reverse().reduce((back, layer) => over(layer, back), paper);
          };
          const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
            && !element.closest(".hidden, .skip, svg");
          const say = (element) => {
            const name = element.id ? "#" + element.id : element.className ? "." + String(element.className).split(" ")[0] : "";
            return element.localName + name + " '" + element.textContent.trim().slice(0, 30) + "'";
          };
          const scrolls = (element) => {
            for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
              if (getComputedStyle(one).overflowX !== "visible") return true;
            }
            return false;
          };
          const width = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth > width) flaws.push("the page is wider than the window");
          for (const element of document.body.querySelectorAll("*")) {
            if (!isSeen(element)) continue;
            const box = element.getBoundingClientRect();
            if (box.width > 1 && (box.right > width + 1 || box.left < -1) && !scrolls(element)) {
              flaws.push("beyond the window: " + say(element));
            }
            // Source: WCAG 2.2, 2.5.8.
            const isControl = element.matches("button, summary, nav a, select, input:not([type=hidden])");
            if (isControl && (box.width < 24 || box.height < 24)) flaws.push("small for a finger: " + say(element));
          }
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const text = node.textContent.trim(), element = node.parentElement;
            if (!text || element.closest("script, style, noscript")) continue;
            if (!element.closest("code, pre, [lang=en]")) texts.push(text);
            if (!isSeen(element)) continue;
            const back = ground(element);
            if (!back) continue;
            const style = getComputedStyle(element);
            const ink = light(over(colour(style.color), back)), paper = light(back);
            const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
            const size = parseFloat(style.fontSize);
            // Source: WCAG 2.2, 1.4.3.
            const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
            if (ratio < least) flaws.push("pale, " + ratio.toFixed(1) + ": " + say(element));
          }
          for (const name of ["aria-label", "placeholder", "title", "alt", "data-label"]) {
            for (const element of document.querySelectorAll("[" + name + "]")) texts.push(element.getAttribute(name));
          }
          return { flaws: [...new Set(flaws)], texts };
        })()
        """
}
