// Draws the topology: the PCIe tree from left to right, with a row for each GPU and each card, and a bow from each GPU to a card
// that says how far both are apart. Names come from the kernel and are only ever set as text.

import {element} from "./element.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 30;
const BOX = 22;
const TITLE = 26;
const GAP = 16;
const EDGE = 10;
const BRIDGE_CHARACTER = 6.7;
const DEVICE_CHARACTER = 7.3;
// Between a device and the first bow is room for the word.
const WORD = 56;
const BOW = 14;
const NO_NODE = -1;

// The nearest first, as nvidia-smi topo -m calls them.
const MEANING = {
  PIX: "at most one PCIe switch lies between them",
  PXB: "several PCIe switches lie between them",
  PHB: "a PCIe host bridge lies between them, so that data passes the processor",
  NODE: "two host bridges of one NUMA node lie between them",
  SYS: "the link between processors lies between them",
};

function svg(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Domains other than the first are rare, and named only then.
const short = address => address.replace(/^(pci)?0000:/, "$1");

function speed(link) {
  if (!link) return "";
  const slow = link.width < link.maxWidth || link.speed < link.maxSpeed;
  return `${link.speed} GT/s x${link.width}` + (slow ? ` of ${link.maxSpeed} GT/s x${link.maxWidth}` : "");
}

// A GPU without work slows its lanes down, which is no fault; fewer lanes are.
const isDegraded = device => device.link
  && (device.link.width < device.link.maxWidth || (device.kind === "card" && device.link.speed < device.link.maxSpeed));

function devicesOf(topology) {
  const cards = topology.cards.map(card => ({
    ...card, kind: "card", id: card.name, label: card.pciAddress ? `${card.name} ${short(card.pciAddress)}` : card.name,
  }));
  const gpus = topology.gpus.map(gpu => ({
    ...gpu, kind: "gpu", id: gpu.pciAddress, label: `GPU ${short(gpu.pciAddress)}`,
  }));
  return [...gpus, ...cards].map(device => ({...device, detail: speed(device.link)}));
}

// Devices in the order of the tree below each NUMA node; those that are no hardware come last.
function groupsOf(devices) {
  const groups = new Map();
  for (const device of devices) {
    const key = device.pciAddress ? device.numaNode : Infinity;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(device);
  }
  const path = device => [...device.above, device.pciAddress ?? device.name].join("/");
  return [...groups].sort((a, b) => a[0] - b[0]).map(([key, members]) => ({
    title: key === Infinity ? "no hardware" : key === NO_NODE ? "NUMA node not told" : `NUMA node ${key}`,
    members: members.sort((a, b) => path(a) < path(b) ? -1 : 1),
  }));
}

// What a GPU's bow leads to: the card in use if the kernel tells where it is, else the nearest.
function bowsOf(topology, devices) {
  const bows = [];
  for (const gpu of devices.filter(device => device.kind === "gpu")) {
    const known = topology.paths.filter(path => path.gpu === gpu.id && path.distance !== "UNKNOWN");
    const used = known.find(path => topology.cards.some(card => card.inUse && card.name === path.card));
    const path = used ?? known.find(each => each.card === gpu.nearestCard);
    if (path) bows.push(path);
  }
  return bows;
}

const sentence = path => `GPU ${path.gpu} and ${path.card}: ${path.distance}, ${path.meaning}`
  + (path.acs === "ON" ? "; access control services send their data through the processor" : "");

function layout(groups) {
  const rows = new Map();
  let y = EDGE;
  const boxes = [];
  for (const group of groups) {
    const top = y;
    y += TITLE;
    for (const device of group.members) {
      rows.set(device.id, y + ROW / 2);
      y += ROW;
    }
    y += 6;
    boxes.push({title: group.title, top, height: y - top});
    y += GAP;
  }
  return {rows, boxes, height: y - GAP + EDGE};
}

// Each bridge once, with the rows of all that hangs below it. The same address in two groups is two bridges.
function bridgesOf(groups, rows) {
  const bridges = new Map();
  groups.forEach((group, number) => {
    for (const device of group.members) {
      device.above.forEach((address, depth) => {
        const key = `${number} ${device.above.slice(0, depth + 1).join("/")}`;
        const parent = depth === 0 ? null : `${number} ${device.above.slice(0, depth).join("/")}`;
        if (!bridges.has(key)) bridges.set(key, {address, depth, parent, from: Infinity, to: -Infinity});
        const bridge = bridges.get(key);
        bridge.from = Math.min(bridge.from, rows.get(device.id));
        bridge.to = Math.max(bridge.to, rows.get(device.id));
      });
      device.parent = device.above.length ? `${number} ${device.above.join("/")}` : null;
    }
  });
  for (const bridge of bridges.values()) bridge.y = (bridge.from + bridge.to) / 2;
  return bridges;
}

function box(parent, className, x, y, width, texts, tip) {
  const group = svg("g", {class: className});
  if (tip) group.append(svg("title", {}, tip));
  group.append(svg("rect", {x, y: y - BOX / 2, width, height: BOX, rx: 4}));
  texts.forEach(text => group.append(text));
  parent.append(group);
}

function drawBridges(drawing, bridges, step, width) {
  const x = depth => EDGE + 8 + depth * step;
  for (const bridge of bridges.values()) {
    const parent = bridges.get(bridge.parent);
    if (parent) {
      const from = x(parent.depth) + width;
      drawing.append(svg("path",
        {class: "wire", d: `M${from} ${parent.y}H${from + (step - width) / 2}V${bridge.y}H${x(bridge.depth)}`}));
    }
    box(drawing, "bridge", x(bridge.depth), bridge.y, width,
      [svg("text", {x: x(bridge.depth) + width / 2, y: bridge.y + 4, "text-anchor": "middle"}, short(bridge.address))]);
  }
  return x;
}

function drawDevice(drawing, device, y, left, width) {
  const texts = [svg("text", {x: left + 8, y: y + 4, class: "name"}, device.label)];
  if (device.detail) {
    texts.push(svg("text", {x: left + width - 8, y: y + 4, "text-anchor": "end", class: isDegraded(device) ? "warn" : "detail"},
      device.detail));
  }
  box(drawing, `${device.kind}${device.inUse ? " used" : ""}`, left, y, width, texts,
    `${device.kind === "gpu" ? "GPU" : "card"} ${device.id}${device.inUse ? ", in use" : ""}`);
}

function drawBows(drawing, bows, rows, right) {
  // Short bows within long ones, so that they cross less.
  const span = bow => Math.abs(rows.get(bow.gpu) - rows.get(bow.card));
  const made = [...bows].sort((a, b) => span(a) - span(b)).map((bow, lane) => {
    const [from, to, far] = [rows.get(bow.gpu), rows.get(bow.card), right + WORD + lane * BOW];
    const group = svg("g", {class: `bow ${bow.distance}`});
    group.append(
      svg("title", {}, sentence(bow)),
      svg("path", {d: `M${right} ${from}H${far}V${to}H${right}`}),
      svg("circle", {cx: right, cy: to, r: 3.5}),
      svg("text", {x: right + 8, y: from - 4}, bow.distance));
    return group;
  });
  drawing.append(...made.reverse());
}

function picture(topology, devices) {
  const groups = groupsOf(devices);
  const {rows, boxes, height} = layout(groups);
  const bridges = bridgesOf(groups, rows);
  const longest = texts => Math.max(0, ...texts.map(text => text.length));
  const bridge = longest([...bridges.values()].map(each => short(each.address))) * BRIDGE_CHARACTER + 12;
  const step = bridge + 18;
  const depth = Math.max(0, ...devices.map(device => device.above.length));
  const left = EDGE + 8 + depth * step;
  const width = longest(devices.map(device => `${device.label}  ${device.detail}`)) * DEVICE_CHARACTER + 16;
  const bows = bowsOf(topology, devices);
  const all = left + width + (bows.length ? WORD + bows.length * BOW : 0) + EDGE;
  const drawing = svg("svg", {width: all, height, viewBox: `0 0 ${all} ${height}`, role: "img",
    "aria-labelledby": "topology-name", "aria-describedby": "topology-description"});
  drawing.append(
    svg("title", {id: "topology-name"}, `PCIe tree with ${topology.gpus.length} GPUs and ${topology.cards.length} cards`
      + (topology.numaNodes > 0 ? ` on ${topology.numaNodes} NUMA nodes` : "")),
    svg("desc", {id: "topology-description"}, bows.map(sentence).join(". ")));
  for (const group of boxes) {
    drawing.append(
      svg("rect", {class: "numa", x: EDGE / 2, y: group.top, width: left + width + 4 - EDGE / 2, height: group.height, rx: 6}),
      svg("text", {class: "numa-name", x: EDGE + 8, y: group.top + 17}, group.title));
  }
  const x = drawBridges(drawing, bridges, step, bridge);
  for (const device of devices) {
    const y = rows.get(device.id);
    const parent = bridges.get(device.parent);
    if (parent) {
      const from = x(parent.depth) + bridge;
      drawing.append(svg("path", {class: "wire", d: `M${from} ${parent.y}H${from + 9}V${y}H${left}`}));
    }
    drawDevice(drawing, device, y, left, width);
  }
  drawBows(drawing, bows, rows, left + width);
  return drawing;
}

function distances(topology) {
  const table = element("table");
  table.id = "distances";
  table.append(element("caption", "How far GPUs and cards are apart, in the words of nvidia-smi topo -m"));
  const head = element("tr");
  for (const text of ["GPU", ...topology.cards.map(card => card.name)]) {
    const cell = element("th", text);
    cell.scope = "col";
    head.append(cell);
  }
  const body = element("tbody");
  for (const gpu of topology.gpus) {
    const row = element("tr");
    const name = element("th", gpu.pciAddress);
    name.scope = "row";
    row.append(name);
    for (const card of topology.cards) {
      const path = topology.paths.find(each => each.gpu === gpu.pciAddress && each.card === card.name);
      const cell = element("td", path ? path.distance + (path.acs === "ON" ? ", ACS" : "") : "", path?.distance);
      if (path) cell.title = path.meaning;
      row.append(cell);
    }
    body.append(row);
  }
  table.append(element("thead"), body);
  table.tHead.append(head);
  return table;
}

function legend(topology) {
  const used = Object.keys(MEANING).filter(word => topology.paths.some(path => path.distance === word));
  return element("p", used.map(word => `${word}: ${MEANING[word]}`).join(". "));
}

function asText(topology) {
  const lines = [];
  const place = each => [...each.above, each.pciAddress ?? "no hardware"].join(" - ")
    + (each.numaNode >= 0 ? `, NUMA node ${each.numaNode}` : "") + (each.link ? `, ${speed(each.link)}` : "");
  for (const card of topology.cards) lines.push(`${card.inUse ? "*" : " "} card ${card.name}: ${place(card)}`);
  for (const gpu of topology.gpus) lines.push(`${gpu.inUse ? "*" : " "} GPU  ${place(gpu)}`);
  for (const path of topology.paths) lines.push(`  ${sentence(path)}`);
  const details = element("details");
  details.append(element("summary", "The same as text"), element("pre", lines.join("\n")));
  return details;
}

export function drawTopology(host, topology) {
  if (!topology) {
    host.replaceChildren();
    return;
  }
  const parts = [];
  const devices = devicesOf(topology);
  if (devices.length === 0) {
    parts.push(element("p", "The kernel shows neither a GPU nor an RDMA card."));
  } else {
    const frame = element("div", undefined, "drawing");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", "Drawing of the topology");
    frame.append(picture(topology, devices));
    parts.push(frame);
    if (topology.paths.length > 0) parts.push(distances(topology), legend(topology));
    parts.push(asText(topology));
  }
  parts.push(element("p", topology.decision), ...topology.warnings.map(text => element("p", text, "warn")));
  host.replaceChildren(...parts);
}
