"use strict";
// Loads the page anew as soon as there is another version of it.
const shown = document.currentScript.dataset.version;
async function look() {
  let pause = document.hidden ? 1000 : 100;
  try {
    const answer = await fetch("/version", { cache: "no-store" });
    if (answer.ok && (await answer.text()).trim() !== shown) {
      location.reload();
      return;
    }
  } catch {
    pause = 1000;
  }
  setTimeout(look, pause);
}
look();
