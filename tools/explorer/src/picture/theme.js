// Light and dark: which one holds, and the colours that canvases need as plain values.
import { FAMILIES, typeOf } from '../vocabulary.js';

const KEY = 'whence-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

const PALETTES = {
  light: {
    ground: '#ffffff',
    ink: '#1c2430',
    faint: '#5b6675',
    rule: '#e1e6ec',
    fillShare: 0.17,
  },
  dark: {
    ground: '#12171e',
    ink: '#e6ebf1',
    faint: '#9aa6b4',
    rule: '#2a333f',
    fillShare: 0.3,
  },
};

export const isDark = () => document.documentElement.dataset.theme === 'dark';

export const palette = () => (isDark() ? PALETTES.dark : PALETTES.light);

/** Outline and fill of a type in the theme that holds. */
export function coloursOf(typeName) {
  const family = FAMILIES[typeOf(typeName).family];
  const colours = palette();
  const outline = isDark() ? family.dark : family.light;
  return { outline, fill: mix(outline, colours.ground, colours.fillShare) };
}

function mix(a, b, share) {
  const channel = (colour, i) => parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(channel(a, i) * share + channel(b, i) * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function set(theme) {
  document.documentElement.dataset.theme = theme;
  document.dispatchEvent(new Event('themechange'));
}

/** Follows the system until the reader chooses; the choice lasts as long as the browser keeps it. */
export function startTheme() {
  set(localStorage.getItem(KEY) ?? (prefersDark.matches ? 'dark' : 'light'));
  prefersDark.addEventListener('change', () => {
    if (!localStorage.getItem(KEY)) set(prefersDark.matches ? 'dark' : 'light');
  });
}

export function toggleTheme() {
  const theme = isDark() ? 'light' : 'dark';
  localStorage.setItem(KEY, theme);
  set(theme);
}
