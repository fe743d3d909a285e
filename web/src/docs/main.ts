import { applyPreferences, readTheme, setTheme } from '../shell/preferences.ts';
import { mountExamples } from './examples.ts';
import { mountSearch } from './search.ts';
import './docs.css';

/**
 * The script of the docs pages. The theme is set in the head before anything is painted; the rest waits until the page
 * is loaded. Without the script every page is still complete.
 */
applyPreferences();
document.addEventListener('DOMContentLoaded', () => {
  openPlaces();
  mountThemeSwitch();
  mountExamples();
  mountCopies();
  mountContents();
  const opener = document.querySelector<HTMLElement>('[data-find]');
  if (opener) {
    opener.hidden = false;
    mountSearch(opener);
  }
});

/** All pages are listed beside the text on wide screens, and behind a button on narrow ones. */
function openPlaces(): void {
  const places = document.querySelector<HTMLDetailsElement>('[data-places]');
  if (!places) return;
  const isWide = matchMedia('(min-width: 64rem)');
  const follow = () => {
    places.open = isWide.matches;
  };
  follow();
  isWide.addEventListener('change', follow);
  const here = places.querySelector('[aria-current]');
  const pane = places.closest<HTMLElement>('.places');
  if (here instanceof HTMLElement && pane && isWide.matches) pane.scrollTop = here.offsetTop - pane.clientHeight / 3;
}

function mountThemeSwitch(): void {
  const button = document.querySelector<HTMLElement>('[data-theme-switch]');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    const isDark = document.documentElement.dataset['theme'] === 'dark';
    const wanted = isDark ? 'light' : 'dark';
    // Back to the system theme as soon as both are the same.
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    setTheme(wanted === system && readTheme() !== 'system' ? 'system' : wanted);
  });
}

const saidMs = 1_500;
function mountCopies(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      const text = block.querySelector('code')?.textContent ?? '';
      navigator.clipboard.writeText(text.trimEnd()).then(
        () => say('Copied'),
        () => say('Not allowed here'),
      );
    });
    const say = (word: string): void => {
      button.textContent = word;
      setTimeout(() => {
        button.textContent = 'Copy';
      }, saidMs);
    };
    block.append(button);
  }
}

/** Marks the heading that is being read in the table of contents. */
function mountContents(): void {
  const contents = document.querySelector<HTMLElement>('[data-contents]');
  if (!contents) return;
  const lines = new Map([...contents.querySelectorAll('a')].map((line) => [line.hash.slice(1), line]));
  const headings = [...lines.keys()].flatMap((id) => document.getElementById(decodeURIComponent(id)) ?? []);
  const light = (): void => {
    const above = headings.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 4);
    const current = above.at(-1) ?? headings[0];
    for (const [id, line] of lines) {
      if (decodeURIComponent(id) !== current?.id) line.removeAttribute('aria-current');
      else if (!line.hasAttribute('aria-current')) {
        line.setAttribute('aria-current', 'location');
        // The table of contents may be longer than the screen: the marked line stays visible.
        contents.scrollTop = line.offsetTop - contents.clientHeight / 2;
      }
    }
  };
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      light();
    });
  };
  addEventListener('scroll', ask, { passive: true });
  light();
}
