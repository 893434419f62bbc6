// Swaps the parts of a page that the server says have changed. Everything else works without it.
"use strict";
(() => {
  const status = document.getElementById("live-status");
  const words = document.currentScript.dataset;
  const source = new EventSource(words.events);
  const say = (text) => {
    if (status && status.textContent !== text) status.textContent = text;
  };

  const swap = (id, html) => {
    const old = document.getElementById(id);
    if (!old) return;
    const fresh = old.cloneNode(false);
    fresh.innerHTML = html;
    if (fresh.isEqualNode(old)) return;
    // What a person has opened, or stands on, stays so.
    const open = [...old.querySelectorAll("details[open]")].map((details) => details.id);
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const link = focused && focused.getAttribute("href");
    for (const details of fresh.querySelectorAll("details")) details.open = open.includes(details.id);
    if (fresh.isEqualNode(old)) return;
    old.replaceChildren(...fresh.childNodes);
    if (!focused || focused === old) return;
    const next = focused.id
      ? document.getElementById(focused.id)
      : [...old.querySelectorAll("a")].find((anchor) => anchor.getAttribute("href") === link);
    if (next) next.focus({ preventScroll: true });
  };

  source.addEventListener("parts", (event) => {
    for (const [id, html] of Object.entries(JSON.parse(event.data))) swap(id, html);
    say(words.live);
  });
  source.addEventListener("error", () => {
    say(source.readyState === EventSource.CLOSED ? words.ended : words.connecting);
  });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
})();
