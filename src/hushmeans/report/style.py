"""How a report looks: on light and dark screens of any width, and on paper."""

from __future__ import annotations

HUES = ("#1f6fb2", "#b5541c", "#1d7f4e", "#a6408f", "#7a6512", "#6a55c2", "#b8383f", "#177d8a")
"""Colours of clusters: white text on each is readable, and each stands out from both papers."""

STYLE = """
:root {
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --card: #f4f6f8; --heat: #5b9bd5;
  --line: #d0d7de; --alarm: #b42318; --warn: #fff4d6; --warn-ink: #5c4300;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e8eaed; --soft: #a3adb8; --card: #1e2329; --heat: #2c6ba8;
    --line: #3a424b; --alarm: #c2331f; --warn: #3a2f10; --warn-ink: #f3dc9b;
  }
}
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); }
section { margin-top: 2.5rem; }
h1 { margin-bottom: 0.25rem; }
h2 { border-bottom: 1px solid var(--line); padding-bottom: 0.3rem; }
h4 { margin: 1rem 0 0.25rem; }
p, li, dd, th, figcaption, b, code { overflow-wrap: anywhere; }
.note, .error, figcaption.under { color: var(--soft); }
.note { font-size: 0.9rem; max-width: 50rem; }
.alarm { background: var(--alarm); color: #fff; padding: 0.9rem 1.1rem; border-radius: 6px;
  font-size: 1.15rem; margin: 1rem 0; }
.alarm strong { font-size: 1.4rem; display: block; }
.warning { background: var(--warn); color: var(--warn-ink); padding: 0.6rem 0.9rem;
  border-radius: 6px; }
.tiles { display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 1rem 0; }
.tiles div { background: var(--card); border-radius: 6px; padding: 0.5rem 0.9rem; min-width: 5rem; }
.tiles dt { color: var(--soft); font-size: 0.8rem; }
.tiles dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
.statement { padding-left: 1.2rem; max-width: 60rem; }
.statement li { margin: 0.3rem 0; }
.statement div { max-height: 12rem; overflow-y: auto; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr));
  gap: 0 2rem; }
.sides > div { min-width: 0; }
.wide { overflow-x: auto; margin: 1rem 0; position: relative; }
thead th, .heat th { background: var(--card); }
.heat th[scope=row] { min-width: 7rem; max-width: 16rem; position: sticky; left: 0; }
.heat td { min-width: 4.6rem; }
.heat .error { display: block; font-size: 0.85em; color: inherit; }
.shade { background: color-mix(in srgb, var(--heat) var(--at), var(--paper)); }
.far { font-weight: 700; }
.here { background: var(--card); font-weight: 700; }
.bars { width: 100%; }
.bars .picture { width: 80%; padding: 0.2rem 0.6rem; overflow-wrap: anywhere; }
.bars thead th { overflow-wrap: normal; }
.tables { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
.tables table { min-width: 12rem; }
caption { text-align: left; font-weight: 600; padding: 0.4rem 0; }
svg { display: block; }
svg .rule { stroke: var(--line); }
svg .error line { stroke: var(--ink); stroke-width: 1.5; }
svg .mark text { fill: #fff; font-size: 11px; font-weight: 600; text-anchor: middle; }
svg .tick, svg .level, .stand text { fill: var(--ink); font-size: 12px; }
svg .tick { text-anchor: middle; }
svg .level { text-anchor: end; }
svg .curve { fill: none; stroke: var(--ink); stroke-width: 2; vector-effect: non-scaling-stroke; }
svg .side1 { stroke-dasharray: 6 4; }
.stand { fill: #b5541c; }
.stand text { font-weight: 600; }
.badge { display: inline-block; vertical-align: middle; overflow: visible; margin: 0 2px; }
.own { fill: #1f6fb2; background: #1f6fb2; }
.others { fill: #7d8590; background: #7d8590; }
.left { fill: var(--card); background: var(--card); stroke: var(--soft); }
.key { display: inline-block; margin-right: 1em; }
.key span { display: inline-block; width: 0.9em; height: 0.9em; border: 1px solid var(--soft);
  margin-right: 0.4em; vertical-align: middle; }
figure { margin: 1rem 0; }
.strips { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr));
  gap: 0.5rem 2rem; }
.strip { min-width: 0; break-inside: avoid; }
.strip figcaption { font-weight: 600; }
.strip .inner { padding: 4px 12px 0; border-bottom: 2px solid var(--soft); }
.strip svg, .plot svg { overflow: visible; }
.ends { display: flex; justify-content: space-between; font-size: 0.8rem; color: var(--soft); }
.plot { max-width: 46rem; }
.plot .inner { margin: 0.5rem 1rem 1.2rem 4rem; border: solid var(--soft);
  border-width: 0 0 1px 1px; }
.plot .under { text-align: right; padding-right: 1rem; }
pre { background: var(--card); padding: 0.7rem 0.9rem; border-radius: 6px; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; margin: 0; font-size: 0.85rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
@media (max-width: 30rem) { .bars th, .bars td { padding: 0.2rem 0.35rem; } }
@media print {
  body { max-width: none; margin: 0; font-size: 11pt; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  tr, pre, .alarm, .plot { break-inside: avoid; }
  h2, h3, h4, h2 + .note { break-after: avoid; }
  tfoot { display: table-row-group; }
  .wide, .statement div { overflow: visible; max-height: none; }
  .heat th[scope=row] { position: static; }
}
""" + "".join(f".hue{number} {{ fill: {hue}; }}\n" for number, hue in enumerate(HUES))
