// Claims are kept compressed and are opened one at a time; filters only hide.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
async function begin() {
  const store = await unpacked(document.getElementById("store").textContent);
  const claims = [...document.querySelectorAll("details.claim")];
  const fill = claim => {
    const body = claim.querySelector(".body");
    if (!body.childNodes.length) body.innerHTML = store.claims[claim.id] || "";
  };
  for (const claim of claims) claim.addEventListener("toggle", () => { if (claim.open) fill(claim); });
  const form = document.querySelector("form.filters"), count = document.getElementById("count");
  function filter() {
    const { paper, verdict, finding, by, words } = Object.fromEntries(new FormData(form));
    let left = 0;
    for (const claim of claims) {
      const fits = (!paper || claim.dataset.paper === paper) && (!verdict || claim.dataset.verdict === verdict) &&
        (!finding || claim.dataset.findings.split(" ").includes(finding)) &&
        (!by || claim.dataset.by.split(" ").includes(by)) &&
        (!words || claim.querySelector("summary").textContent.toLowerCase().includes(words.toLowerCase()));
      claim.hidden = !fits;
      left += fits;
    }
    count.textContent = `${left} of ${claims.length} claims`;
  }
  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
  const open = () => {
    const claim = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (claim && claim.matches("details.claim")) { claim.hidden = false; claim.open = true; fill(claim); claim.scrollIntoView(); claim.querySelector("summary").focus(); }
  };
  addEventListener("hashchange", open);
  filter();
  open();
  const choice = document.getElementById("graphs"), graph = document.getElementById("graph");
  const showGraph = () => { graph.innerHTML = store.graphs[choice.value] || ""; };
  if (choice) { choice.addEventListener("input", showGraph); showGraph(); }
  const runs = document.getElementById("runs"), place = document.getElementById("run");
  const showRun = () => { place.textContent = ""; explore(place, store.runs[runs.value]); };
  if (runs) { runs.addEventListener("input", showRun); showRun(); }
  for (const data of store.delays) heatmap(document.getElementById("delays").appendChild(document.createElement("div")), data);
  document.documentElement.dataset.ready = "yes";
}
begin();
