"use strict";
(() => {
  const body = document.getElementById("runs"), said = document.getElementById("said");
  const cell = (tag, text, cls) => {
    const node = document.createElement(tag);
    node.textContent = text;
    if (cls) node.className = cls;
    return node;
  };
  const row = (run) => {
    const tr = document.createElement("tr"), name = document.createElement("th"), link = document.createElement("a");
    tr.dataset.name = run.name;
    name.scope = "row";
    link.href = "/run/" + run.name.split("/").map(encodeURIComponent).join("/");
    link.textContent = run.name;
    name.append(link);
    const outcomes = Object.entries(run.outcomes).map(([k, v]) => v + " " + k).join(" ");
    tr.append(name, cell("td", run.agent), cell("td", run.suite), cell("td", run.status),
      cell("td", run.finished + "/" + run.planned, "num"), cell("td", outcomes),
      cell("td", run.score === null ? "–" : run.score.toFixed(3), "num"));
    return tr;
  };
  let before = "";
  const look = async () => {
    try {
      const text = await (await fetch("/state")).text();
      if (text !== before && before) {
        const focused = document.activeElement && document.activeElement.getAttribute("href");
        body.replaceChildren(...JSON.parse(text).map(row));
        if (focused) [...body.querySelectorAll("a")].filter((a) => a.getAttribute("href") === focused).forEach((a) => a.focus());
      }
      before = text;
      const going = JSON.parse(text).filter((run) => run.status === "running").length;
      said.textContent = going ? going + (going === 1 ? " run is going on." : " runs are going on.") : "No run is going on.";
    } catch {
      said.textContent = "The server has ended; this is what it said last.";
    }
    setTimeout(look, 2000);
  };
  look();
})();
