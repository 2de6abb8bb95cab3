// Checks what somebody types in a form with `data-check`, and puts the answer in the place of the old one. Without it, the button does.
"use strict";

(() => {
  const PAUSE = 300; // milliseconds without typing

  const watch = (form) => {
    const target = form.dataset.check;
    let timer = 0;
    let asked = 0;
    const ask = async () => {
      const mine = ++asked;
      const body = new URLSearchParams(new FormData(form));
      document.getElementById(target)?.setAttribute("aria-busy", "true");
      let text = "";
      try {
        const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html;fragment=result" }, credentials: "same-origin" });
        text = await answer.text();
      } catch {
        text = "";
      }
      // Only the last question counts.
      if (mine !== asked) return;
      const old = document.getElementById(target);
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(target);
      if (!old) return;
      if (fresh) {
        old.replaceChildren(...fresh.childNodes);
      } else {
        old.textContent = "The server did not check the text. Use the button to try again.";
      }
      old.removeAttribute("aria-busy");
    };
    form.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, PAUSE);
    });
  };

  document.querySelectorAll("form[data-check]").forEach(watch);
})();
