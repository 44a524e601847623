// @ts-check
// Light or dark: as the system has it, until the reader chooses.

import {el} from './dom.js';

const kThemeKey = 'windlass-theme';

/** The button that changes it. */
export function start_theme() {
  const root = document.documentElement;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => dispatchEvent(new Event('windlass-theme')));
  try {
    root.dataset.theme = localStorage.getItem(kThemeKey) ?? '';
  } catch {
    root.dataset.theme = '';  // a file on disk may have no storage
  }
  return el('button', {
    type: 'button', class: 'plain', 'aria-label': 'Change between light and dark',
    click: () => {
      const dark = root.dataset.theme === 'dark' || (root.dataset.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
      root.dataset.theme = dark ? 'light' : 'dark';
      try {
        localStorage.setItem(kThemeKey, root.dataset.theme);
      } catch {
        // for this page only
      }
      dispatchEvent(new Event('windlass-theme'));
    },
  }, '◐');
}
