// Draws what GET /fabric/state answers, once a second. Names come from peers: they are only ever set as text.

import {element} from "./element.js";
import {drawTopology} from "./topology.js";

const EVERY_MS = 1000;
const KEPT = 120;
// The order of ibv_qp_state, as queue pairs of this fabric go through them.
const STATES = ["RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"];
const SHOWN_TRANSFERS = 25;

const byId = id => document.getElementById(id);

function row(...cells) {
  const made = element("tr");
  for (const cell of cells) {
    if (cell instanceof Node) {
      const td = element("td");
      td.append(cell);
      made.append(td);
    } else {
      made.append(element("td", cell ?? ""));
    }
  }
  return made;
}

function fill(id, rows, nothing) {
  const body = byId(id).querySelector("tbody");
  if (rows.length === 0) {
    const cell = element("td", nothing);
    cell.colSpan = byId(id).querySelectorAll("th").length;
    const only = element("tr");
    only.append(cell);
    rows = [only];
  }
  body.replaceChildren(...rows);
}

function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit < 5) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][unit]}`;
}

const clock = time => time ? new Date(time).toLocaleTimeString() : "";
const tone = state => ({UP: "good", DONE: "good", OK: "good", FAILED: "bad", FAIL: "bad", DOWN: "bad", WARN: "warn"})[state];

// Plots

const times = [];
const out = [];
const inn = [];
let plots = null;
let last = null;

function plot(id, title, series) {
  const host = byId(id);
  const options = {
    title,
    width: host.clientWidth,
    height: 220,
    cursor: {drag: {x: false, y: false}},
    scales: {y: {range: (_, min, max) => [0, Math.max(1e-3, max * 1.1)]}},
    axes: [{stroke: "#888", grid: {stroke: "#8883"}}, {stroke: "#888", grid: {stroke: "#8883"}, size: 60}],
    series: [{}, ...series],
  };
  const made = new uPlot(options, [[], ...series.map(() => [])], host);
  new ResizeObserver(() => made.setSize({width: host.clientWidth, height: 220})).observe(host);
  return made;
}

function drawRates(state) {
  const statistics = state.transfers?.statistics;
  if (!statistics) return;
  plots ??= {
    throughput: plot("throughput", "MB/s", [
      {label: "out", stroke: "#0072b2", width: 2},
      {label: "in", stroke: "#d55e00", width: 2, dash: [6, 4]},
    ]),
    latency: plot("latency", "ms of each transfer", [
      {label: "ms", stroke: "#009e73", width: 0, points: {show: true, size: 5}, paths: () => null},
    ]),
  };
  const now = Date.parse(state.time) / 1000;
  const sent = statistics.pushedBytes;
  const received = statistics.receivedBytes + statistics.pulledBytes;
  if (last && now > last.now) {
    times.push(now);
    out.push(Math.max(0, sent - last.sent) / (now - last.now) / 1e6);
    inn.push(Math.max(0, received - last.received) / (now - last.now) / 1e6);
    if (times.length > KEPT) [times, out, inn].forEach(list => list.shift());
    plots.throughput.setData([times, out, inn]);
  }
  last = {now, sent, received};
  const ended = state.transfers.transfers
    .filter(each => each.ended && each.state === "DONE")
    .map(each => [Date.parse(each.ended) / 1000, Date.parse(each.ended) - Date.parse(each.started)])
    .sort((a, b) => a[0] - b[0]);
  plots.latency.setData([ended.map(each => each[0]), ended.map(each => Math.max(0, each[1]))]);
  byId("rates").textContent = `${statistics.pushed} pushed (${bytes(sent)}), ${statistics.received} received`
    + ` (${bytes(received)}), ${statistics.pushFailures} failed, ${statistics.retries} retries,`
    + ` ${statistics.pushesInFlight} in flight`;
}

// Parts

function drawNode(overview) {
  if (!overview) {
    byId("node").textContent = "The endpoint 'fabric' is not exposed, see management.endpoints.web.exposure";
    return;
  }
  const device = overview.device;
  byId("node").textContent = overview.running
    ? `${overview.nodeId} on ${device?.name ?? "no device"} (${overview.provider?.name}), port ${device?.portState ?? "?"}`
    : "The fabric does not run";
  byId("warnings-section").hidden = overview.warnings.length === 0;
  byId("warnings").replaceChildren(...overview.warnings.map(text => element("li", text, "warn")));
}

function drawPeers(overview) {
  fill("peers", (overview?.peers ?? []).map(peer => {
    const button = element("button", "Run");
    button.type = "button";
    button.setAttribute("aria-label", `Run the preflight to ${peer.name}`);
    button.addEventListener("click", () => preflight(peer.name));
    return row(peer.name, element("span", peer.state, tone(peer.state)), clock(peer.since), peer.lastFailure, button);
  }), "no peer is known");
}

function states(end, number, current) {
  const list = element("ul", undefined, "states");
  list.setAttribute("aria-label", `${end} queue pair ${number ?? ""}: ${current ?? "unknown"}`);
  list.append(element("li", `${end} ${number ?? ""}`, "end"));
  for (const state of STATES) {
    const item = element("li", state, state);
    if (state === current) item.setAttribute("aria-current", "step");
    list.append(item);
  }
  return list;
}

function drawPairs(queuePairs) {
  const lanes = (queuePairs?.connections ?? []).flatMap(connection => connection.lanes.map(lane => {
    const box = element("div", undefined, "lane");
    box.append(
      element("strong", `${connection.peer}, lane ${lane.lane} (${lane.purpose.toLowerCase()}), ${connection.state}`),
      states("ours", lane.number, lane.state),
      states("theirs", lane.peerNumber, lane.peerState),
      element("p", `since ${clock(lane.since)}: ${lane.reason}`));
    return box;
  }));
  const failed = (queuePairs?.failedNegotiations ?? []).slice(-3).map(each =>
    element("p", `${clock(each.time)} ${each.peer}: ${each.message}`, "bad"));
  byId("pairs").replaceChildren(...(lanes.length + failed.length ? [...lanes, ...failed] : [element("p", "no connection")]));
}

function drawTransfers(transfers) {
  const latest = [...(transfers?.transfers ?? [])]
    .sort((a, b) => Date.parse(b.started) - Date.parse(a.started))
    .slice(0, SHOWN_TRANSFERS);
  fill("transfers", latest.map(each => row(
    each.direction, each.peer, each.tensor, bytes(each.bytes), element("span", each.state, tone(each.state)),
    each.ended ? String(Date.parse(each.ended) - Date.parse(each.started)) : `${bytes(each.placedBytes)} placed`,
    each.path, each.error)), "none yet");
}

function drawErrors(queues) {
  fill("errors", (queues?.completionQueues ?? []).flatMap(queue => queue.errors.map(error =>
    row(queue.name, element("span", error.status, "bad"), String(error.count), error.cause, error.remedy))), "none");
}

function drawPools(pools) {
  byId("pools").replaceChildren(...(pools?.pools ?? []).map(pool => {
    const box = element("div");
    const gauge = element("meter");
    gauge.min = 0;
    gauge.max = pool.capacity;
    gauge.value = pool.inUse;
    gauge.setAttribute("aria-label", `Memory in use of pool ${pool.name}`);
    box.append(element("p", `${pool.name} (${pool.memoryKind}): ${bytes(pool.inUse)} of ${bytes(pool.capacity)} in use,`
      + ` ${pool.leases} leases, peak ${bytes(pool.peak)}, ${pool.waits} waits, ${pool.failures} failures`), gauge);
    return box;
  }));
}

// Counters of the port: what they count, and how fast that grew lately.

const LATELY_MS = 10_000;
let looks = [];

function rateOf(name, value, now) {
  const before = looks[0];
  const old = before?.counters[name];
  return old === undefined || value < old || now <= before.now ? 0 : (value - old) * 1000 / (now - before.now);
}

function drawCounters(state) {
  const counters = state.overview?.device?.counters ?? {};
  const now = Date.parse(state.time);
  while (looks.length > 1 && looks[1].now <= now - LATELY_MS) looks.shift();
  fill("counters", Object.entries(counters).map(([name, value]) => {
    const text = name.endsWith("_bytes") ? bytes : number => number.toLocaleString("en", {maximumFractionDigits: 1});
    const rate = rateOf(name, value, now);
    return row(name, text(value), element("span", text(rate), rate > 0 ? "grows" : ""));
  }), "the device has none");
  looks.push({now, counters});
}

// Preflight

async function preflight(peer) {
  byId("ladder-section").hidden = false;
  byId("ladder-state").textContent = `trying the way to ${peer} out`;
  byId("ladder").replaceChildren();
  try {
    const answer = await fetch(`/fabric/preflight/${encodeURIComponent(peer)}`,
      {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"});
    const report = await answer.json();
    if (!answer.ok) throw new Error(report.detail ?? answer.statusText);
    byId("ladder-state").textContent = `${peer}: ${report.outcome}, ${report.millis.toFixed(0)} ms`;
    byId("ladder").replaceChildren(...[...report.environment, ...report.ladder].map(step => {
      const item = element("li");
      item.append(element("strong", step.outcome, tone(step.outcome)), ` ${step.name}: ${step.detail}`);
      if (step.remedy) item.append(element("p", step.remedy));
      return item;
    }));
  } catch (failure) {
    byId("ladder-state").textContent = `${peer}: ${failure.message}`;
  }
}

// The loop

// What is the same is not drawn again, so that a button keeps the focus, and what was opened or scrolled stays so.
const shown = new Map();

function ifChanged(part, value, drawPart) {
  const text = JSON.stringify(value ?? null);
  if (shown.get(part) !== text) drawPart();
  shown.set(part, text);
}

function draw(state) {
  drawNode(state.overview);
  ifChanged("peers", state.overview?.peers, () => drawPeers(state.overview));
  drawRates(state);
  drawPairs(state.queuePairs);
  drawTransfers(state.transfers);
  drawErrors(state.completionQueues);
  drawPools(state.pools);
  drawCounters(state);
  ifChanged("topology", state.topology, () => drawTopology(byId("topology"), state.topology));
}

async function turn() {
  const problem = byId("problem");
  try {
    const answer = await fetch("/fabric/state", {signal: AbortSignal.timeout(10 * EVERY_MS)});
    if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
    draw(await answer.json());
    problem.hidden = true;
  } catch (failure) {
    problem.hidden = false;
    problem.textContent = `Nothing new: ${failure.message}. Trying again.`;
  }
  setTimeout(turn, document.hidden ? 5 * EVERY_MS : EVERY_MS);
}

turn();
