// What pages do beyond reading: parts of a page that follow the server. All of it is an addition; without it every page can be read.
"use strict";

(() => {
  const status = document.getElementById("connection");

  const say = (text) => {
    if (!status) return;
    status.textContent = text;
    status.hidden = text === "";
  };

  // What changed is said once, for those who do not see it.
  let said = "";
  const announce = (text) => {
    const place = document.getElementById("announce");
    if (!place || !text || text === said) return;
    said = text;
    place.textContent = text;
  };

  // Puts a part of a page in the place of the one that has its id. What the reader opened, and where they are, stays.
  const swap = (html) => {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    for (const part of Array.from(fresh.querySelectorAll("[data-part]"))) {
      const old = document.getElementById(part.id);
      if (!old || old.outerHTML === part.outerHTML) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
      const open = new Map(Array.from(old.querySelectorAll("details[id]"), (it) => [it.id, it.open]));
      const places = Array.from(old.querySelectorAll(".wide"), (it) => [it.scrollLeft, it.scrollTop]);
      for (const it of part.querySelectorAll("details[id]")) {
        if (open.has(it.id)) it.open = open.get(it.id);
      }
      old.replaceWith(part);
      announce(part.dataset.say);
      Array.from(part.querySelectorAll(".wide")).forEach((it, at) => {
        if (places[at]) [it.scrollLeft, it.scrollTop] = places[at];
      });
      if (focused) document.getElementById(focused)?.focus();
    }
  };

  // A part of the page that follows events of the server. The browser connects again by itself and says what it saw last.
  const follow = (root) => {
    const source = new EventSource(root.dataset.events);
    root.dataset.live = "connecting";
    source.addEventListener("open", () => {
      root.dataset.live = "connected";
      say("");
    });
    source.addEventListener("part", (event) => swap(event.data));
    source.addEventListener("end", (event) => {
      source.close();
      root.dataset.live = "ended";
      // What has ended cannot be cancelled.
      document.getElementById("actions")?.remove();
      if (event.data) swap(event.data);
      const actions = document.getElementById("actions");
      if (actions?.contains(document.activeElement)) document.getElementById("main").focus();
      actions?.remove();
      say("");
    });
    source.addEventListener("error", () => {
      if (root.dataset.live === "ended") return;
      root.dataset.live = "lost";
      if (source.readyState === EventSource.CLOSED) {
        say("The connection to the server is lost. Trying again in a few seconds.");
        setTimeout(() => follow(root), 3000);
      } else {
        say("The connection to the server is lost. Trying again; the page catches up when it is back.");
      }
    });
  };

  document.querySelectorAll("[data-events]").forEach(follow);
})();
