// What pages do beyond reading: parts of a page that follow the server. All of it is an addition; without it every page can be read.
"use strict";

(() => {
  const status = document.getElementById("connection");

  // Says why the page does not follow the server, with a link to what helps.
  const say = (text, link) => {
    if (!status) return;
    status.textContent = text;
    if (link) {
      const there = document.createElement("a");
      [there.href, there.textContent] = [location.href, link];
      status.append(" ", there);
    }
    status.hidden = text === "";
  };

  // What an answer means for a page that follows: what to say, and in how many milliseconds to try again, if that makes sense.
  const LOST = ["The connection to the server is lost. Trying again; the page catches up when it is back.", 3000];
  const reason = (answer) => {
    const seconds = Math.max(Number(answer.headers.get("retry-after")) || 0, 10);
    // A redirect leads to where one signs in.
    if (answer.type === "opaqueredirect" || answer.status === 401) return ["You are signed out, so this page does not change any more.", 0, "Sign in"];
    if (answer.status === 403) return ["You may not see this page any more.", 0];
    if (answer.status === 404) return ["What this page shows is not there any more.", 0];
    if (answer.status === 429) return [`The server has too many requests. Trying again in ${seconds} seconds.`, seconds * 1000];
    if (!answer.ok) return [`The server cannot show this page at the moment (${answer.status}). Trying again in ${seconds} seconds.`, seconds * 1000];
    return ["", 0];
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
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
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
      // What has no id is found by where it leads.
      const same = (it) => (focused.id ? it.id === focused.id : focused.href && it.href === focused.href);
      if (focused) Array.from(part.querySelectorAll("[id], a[href]")).find(same)?.focus();
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
      // As long as there is no answer at all, the browser tries again by itself.
      if (source.readyState !== EventSource.CLOSED) return say(LOST[0]);
      // Why it was refused is not told to those who follow events.
      const asked = fetch(root.dataset.events, { method: "HEAD", redirect: "manual", cache: "no-store" });
      asked.then(reason, () => LOST).then(([text, pause, link]) => {
        say(text, link);
        if (pause || !text) setTimeout(() => follow(root), pause || 1000);
        else root.dataset.live = "refused";
      });
    });
  };

  // A part of the page that is loaded again every few seconds while somebody looks at it.
  const reload = (root) => {
    const usual = Number(root.dataset.reload) * 1000;
    const load = async () => {
      if (document.hidden) return document.addEventListener("visibilitychange", load, { once: true });
      const began = performance.now();
      const asked = fetch(location.href, { redirect: "manual", cache: "no-store" });
      const [answer, [text, pause, link]] = await asked.then((it) => [it, reason(it)], () => [null, LOST]);
      say(text, link);
      if (text && !pause) return;
      if (answer?.ok) swap(await answer.text().catch(() => ""));
      // A list that takes long to make is made less often.
      setTimeout(load, pause || Math.max(usual, (performance.now() - began) * 20));
    };
    setTimeout(load, usual);
  };

  document.querySelectorAll("[data-events]").forEach(follow);
  document.querySelectorAll("[data-reload]").forEach(reload);
})();
