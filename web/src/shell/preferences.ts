/** Display preferences, kept in this browser; never secrets. */
export type Theme = 'light' | 'dark' | 'system';
export type Density = 'comfortable' | 'compact';

const read = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};
const keep = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Without storage the preference lasts as long as the page.
  }
};

const dark = matchMedia('(prefers-color-scheme: dark)');
export const readTheme = (): Theme => {
  const kept = read('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
};
export const readDensity = (): Density => (read('density') === 'compact' ? 'compact' : 'comfortable');

function show(): void {
  const theme = readTheme();
  const { dataset } = document.documentElement;
  dataset['theme'] = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  dataset['density'] = readDensity();
}
export function setTheme(theme: Theme): void {
  keep('theme', theme);
  show();
}
export function setDensity(density: Density): void {
  keep('density', density);
  show();
}
const around = <T>(all: readonly T[], one: T): T => all[(all.indexOf(one) + 1) % all.length] ?? one;
/** Each key press selects the next value. */
export const nextTheme = (): void => setTheme(around(['light', 'dark', 'system'] as const, readTheme()));
export const nextDensity = (): void => setDensity(around(['comfortable', 'compact'] as const, readDensity()));

export function applyPreferences(): void {
  show();
  dark.addEventListener('change', show);
}

export const readProject = (): string | null => read('project');
export const keepProject = (id: string): void => keep('project', id);

/** The time of the last release for lack of money whose story was put away. */
export const readStoryPutAway = (): string | null => read('release-story');
export const putStoryAway = (at: string): void => keep('release-story', at);
