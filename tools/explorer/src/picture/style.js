// The picture's style sheet for cytoscape: types, marks, near and far, in the colours of the theme.
import { coloursOf, palette } from './theme.js';
import { TYPES, typeOf } from '../vocabulary.js';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** @returns {import('cytoscape').StylesheetJson} */
export function stylesheet() {
  const colours = palette();
  const typeRules = Object.entries({ ...TYPES, other: typeOf('') }).map(([name, type]) => ({
    selector: `.type-${name}`,
    style: typeStyle(name, type),
  }));
  const halo = (colour) => ({
    'underlay-color': colour,
    'underlay-opacity': 0.34,
    'underlay-padding': 7,
    'underlay-shape': 'ellipse',
  });
  const line = (colour) => ({ 'line-color': colour, 'target-arrow-color': colour });
  return [
    // Each property costs time on each of 300 nodes: what the far picture does not need is set with `near`.
    { selector: 'node', style: { 'border-width': 2 } },
    { selector: ':active', style: { 'overlay-opacity': 0 } },
    {
      selector: 'node.near',
      style: {
        label: 'data(label)',
        color: colours.ink,
        'font-family': FONT,
        'font-size': 11,
        'text-valign': 'bottom',
        'text-margin-y': 9,
        'text-wrap': 'wrap',
        'text-max-width': 124,
        'min-zoomed-font-size': 6,
        'line-height': 1.15,
        'text-background-color': colours.ground,
        'text-background-opacity': 0.8,
        'text-background-padding': 1.5,
      },
    },
    ...typeRules,
    { selector: '.deprecated', style: { 'border-style': 'dashed', 'background-opacity': 0.45 } },
    { selector: '.root', style: { width: 42, height: 42, 'border-width': 4, 'font-weight': 600 } },
    { selector: '.type-ContextUnit.root', style: { width: 46, height: 36 } },
    {
      selector: '.stub',
      style: {
        shape: 'round-rectangle',
        width: 30,
        height: 17,
        label: 'data(label)',
        'font-family': FONT,
        'background-color': colours.stub,
        'border-color': colours.line,
        'border-width': 1,
        'border-style': 'dashed',
        'text-valign': 'center',
        'text-margin-y': 0,
        'font-size': 10,
        color: colours.faint,
        'text-background-opacity': 0,
      },
    },
    {
      selector: 'edge',
      style: { 'curve-style': 'haystack', 'haystack-radius': 0, width: 'data(width)', 'line-color': colours.line },
    },
    {
      selector: 'edge.near',
      style: {
        'curve-style': 'bezier',
        'target-arrow-shape': 'triangle',
        'arrow-scale': 0.75,
        'target-arrow-color': colours.line,
      },
    },
    {
      selector: 'edge.labelled, edge.hovered',
      style: {
        label: 'data(label)',
        'font-family': FONT,
        'font-size': 9,
        color: colours.faint,
        'text-rotation': 'autorotate',
        'min-zoomed-font-size': 7,
        'text-background-color': colours.ground,
        'text-background-opacity': 0.85,
        'text-background-padding': 1,
      },
    },
    {
      selector: 'edge.near[bendWeights]',
      style: {
        'curve-style': 'round-segments',
        'segment-weights': 'data(bendWeights)',
        'segment-distances': 'data(bendDistances)',
        'segment-radii': 60,
        'edge-distances': 'node-position',
      },
    },
    { selector: 'edge.versions', style: { 'line-style': 'dashed' } },
    { selector: 'edge.relation', style: { 'line-style': 'dotted', 'target-arrow-shape': 'none' } },
    { selector: 'edge.hovered', style: { color: colours.ink, 'font-size': 11, 'z-index': 9 } },
    { selector: '.aside', style: { opacity: 0.28 } },
    { selector: 'node.near.ancestor', style: halo(colours.ancestor) },
    { selector: 'node.near.descendant', style: halo(colours.descendant) },
    { selector: 'edge.ancestor', style: { ...line(colours.ancestor) } },
    { selector: 'edge.descendant', style: { ...line(colours.descendant) } },
    { selector: '.selected', style: { 'border-color': colours.selected, 'border-width': 4, 'font-weight': 600 } },
    { selector: 'node.fresh', style: { ...halo(colours.added), 'underlay-opacity': 0.55, 'underlay-padding': 10 } },
    ...['added', 'removed', 'reweighted'].flatMap((mark) => [
      {
        selector: `node.${mark}`,
        style: { ...halo(colours[mark]), 'underlay-opacity': 0.5, 'border-color': colours[mark], color: colours[mark] },
      },
      { selector: `edge.${mark}`, style: { ...line(colours[mark]) } },
    ]),
    { selector: '.removed', style: { 'line-style': 'dashed', 'border-style': 'dashed' } },
  ];
}

function typeStyle(name, { outline }) {
  const colours = coloursOf(name);
  const shape =
    outline === null
      ? { shape: 'ellipse' }
      : outline === 'round'
        ? { shape: 'round-rectangle', width: 34, height: 26 }
        : { shape: 'polygon', 'shape-polygon-points': outline };
  return { ...shape, 'background-color': colours.fill, 'border-color': colours.outline };
}
