"use strict";
/* Keys and copy buttons. The page works without this file. */
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button && navigator.clipboard) {
    navigator.clipboard.writeText(button.dataset.copy).then(() => { button.textContent = "Copied"; });
  }
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const entries = [...document.querySelectorAll(".documents .title, .concordance .key a, .list tbody th a")];
  const at = entries.indexOf(document.activeElement);
  const move = { j: at + 1, k: at - 1 }[event.key];
  if (event.key === "/") { event.preventDefault(); document.getElementById("q").focus(); }
  else if (event.key === "?") { window.location.assign("/about"); }
  else if (move !== undefined && entries[move]) { event.preventDefault(); entries[move].focus(); }
});
