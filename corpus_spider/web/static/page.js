"use strict";
/* Keys and copy buttons. The page works without this file. */
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button && navigator.clipboard) {
    navigator.clipboard.writeText(button.dataset.copy).then(() => { button.textContent = button.dataset.copied; });
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

/* Names of the columns beside the cells: on a phone the rows of a table become blocks. */
for (const table of document.querySelectorAll("table.list")) {
  const names = [...table.querySelectorAll("thead tr > *")].map((cell) => cell.textContent);
  for (const row of table.querySelectorAll("tbody tr, tfoot tr")) {
    [...row.children].forEach((cell, at) => {
      if (names[at]) cell.dataset.column = names[at];
      cell.classList.toggle("empty", !cell.textContent.trim());
    });
  }
  table.classList.add("named");
}

/* Numbers of a running crawl. */
const live = document.querySelector("[data-live]");
function show(row, numbers) {
  for (const cell of row.querySelectorAll("[data-name]")) {
    const value = numbers[cell.dataset.name];
    if (value !== undefined) cell.textContent = value.toLocaleString(document.documentElement.lang);
  }
}
async function follow() {
  const answer = await fetch(live.dataset.live);
  if (!answer.ok) return;
  const now = await answer.json();
  for (const row of live.querySelectorAll("tbody tr")) show(row, now.sites[row.dataset.site] ?? {});
  show(live.querySelector("tfoot tr"), now.sum);
  if (now.over) window.location.reload();
  else window.setTimeout(follow, 5000);
}
if (live) window.setTimeout(follow, 5000);
