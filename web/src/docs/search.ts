import { letGo } from '../client/let-go.ts';
import { type Entry, find, markWords } from './find.ts';

/** The search box. The index is fetched when the box is opened for the first time, so reading a page costs nothing. */
let entries: Promise<readonly Entry[]> | undefined;
const fetchEntries = (): Promise<readonly Entry[]> => {
  entries ??= fetch('/docs/search.json').then(async (answer) => {
    if (!answer.ok) throw new Error(`the index answered ${answer.status}`);
    return (await answer.json()) as readonly Entry[];
  });
  // Retried at the next search.
  entries.catch(() => {
    entries = undefined;
  });
  return entries;
};

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const marked = (text: string, query: string): (Node | string)[] =>
  markWords(text, query).map((piece, index) => (index % 2 === 1 ? element('mark', {}, piece) : piece));

/** Puts the search box into the page, closed. */
function makeDialog() {
  const input = element('input', {
    type: 'search',
    class: 'ask',
    placeholder: 'Search the docs and the API',
    'aria-label': 'Search the docs and the API',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'finds',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = element('ul', { id: 'finds', role: 'listbox', 'aria-label': 'Finds' });
  const says = element('p', { role: 'status', class: 'says' });
  const close = element('button', { type: 'button', class: 'close' }, 'Close');
  const dialog = element(
    'dialog',
    { class: 'search', 'aria-label': 'Search' },
    element('div', { class: 'bar' }, input, close),
    list,
    says,
  );
  document.body.append(dialog);
  return { dialog, input, list, says, close };
}

const optionOf = ({ entry, excerpt }: ReturnType<typeof find>[number], index: number, query: string): HTMLElement =>
  element(
    'li',
    { role: 'option', id: `find-${index}`, 'data-url': entry.u, 'aria-selected': 'false' },
    element('b', {}, ...marked(entry.h === '' ? entry.p : entry.h, query)),
    element('span', { class: 'page' }, entry.h === '' ? '' : entry.p),
    element('span', { class: 'excerpt' }, ...marked(excerpt, query)),
  );

export function mountSearch(opener: HTMLElement): void {
  const { dialog, input, list, says, close } = makeDialog();

  let chosen = -1;
  const links = () => [...list.querySelectorAll<HTMLElement>('[role=option]')];
  const choose = (index: number): void => {
    const all = links();
    chosen = all.length === 0 ? -1 : (index + all.length) % all.length;
    all.forEach((each, at) => {
      each.setAttribute('aria-selected', String(at === chosen));
      if (at === chosen) each.scrollIntoView({ block: 'nearest' });
    });
    input.setAttribute('aria-activedescendant', chosen < 0 ? '' : `find-${chosen}`);
  };
  const goTo = (at: number): void => {
    const url = links()[at]?.dataset['url'];
    if (url === undefined) return;
    dialog.close();
    location.assign(url);
  };

  async function show(): Promise<void> {
    const query = input.value;
    try {
      const finds = find(await fetchEntries(), query);
      // The reader typed on while the index was loading.
      if (input.value !== query) return;
      list.replaceChildren(...finds.map((each, index) => optionOf(each, index, query)));
      input.setAttribute('aria-expanded', String(finds.length > 0));
      says.textContent =
        query.trim() === ''
          ? 'Type a word: a command, an error code, a path, a setting.'
          : finds.length === 0
            ? `No page has all of these words: ${query}`
            : '';
      choose(0);
    } catch {
      list.replaceChildren();
      says.textContent = 'The index could not be fetched. Check that the installation is running, and try again.';
    }
  }

  const open = (): void => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    letGo(show());
  };
  opener.addEventListener('click', open);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  input.addEventListener('input', () => letGo(show()));
  list.addEventListener('click', (event) => {
    const option = (event.target as Element).closest<HTMLElement>('[role=option]');
    if (option) goTo(links().indexOf(option));
  });
  dialog.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) choose(chosen + step);
    // A browser would only empty the field, and close at the second press.
    else if (event.key === 'Escape') dialog.close();
    else if (event.key === 'Enter' && event.target === input) goTo(chosen);
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element | null)?.closest('input, textarea, select, [contenteditable]');
    const isAsked = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isAsked || event.altKey || dialog.open) return;
    event.preventDefault();
    open();
  });
}
