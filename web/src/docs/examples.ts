/** Examples in four languages as tabs. All of them follow the language that the reader chose last. */
const kept = 'docs-language';
/** What the pages write where the address of the installation belongs. */
const placeholder = 'https://gpuaas.example';

const read = (): string => {
  try {
    return localStorage.getItem(kept) ?? 'cli';
  } catch {
    return 'cli';
  }
};
const keep = (language: string): void => {
  try {
    localStorage.setItem(kept, language);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
};

export function mountExamples(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('[data-examples]')];
  if (groups.length === 0) return;
  const choose = (language: string): void => {
    for (const each of switches) each(language);
  };
  const switches = groups.map((group, at) => mountTabs(group, at, choose));
  choose(read());
}

function mountTabs(group: HTMLElement, at: number, choose: (language: string) => void): (language: string) => void {
  const panels = [...group.querySelectorAll<HTMLElement>('.example')];
  const list = document.createElement('div');
  list.className = 'tabs';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.id = `tab-${at}-${index}`;
    tab.textContent = panel.dataset['label'] ?? '';
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', `panel-${at}-${index}`);
    panel.id = `panel-${at}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    tab.addEventListener('click', () => {
      const language = panel.dataset['language'] ?? 'cli';
      // Other examples above may change their height: the clicked one stays in place.
      const before = tab.getBoundingClientRect().top;
      keep(language);
      choose(language);
      scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
    });
    return tab;
  });
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const from = tabs.indexOf(event.target as HTMLButtonElement);
    if (step === undefined || from < 0) return;
    const next = tabs[(from + step + tabs.length) % tabs.length];
    next?.click();
    next?.focus();
    event.preventDefault();
  });
  list.append(...tabs);
  group.prepend(list);
  group.classList.add('tabbed');
  for (const code of group.querySelectorAll('code')) nameInstallation(code);
  return (language) => {
    const known = panels.some((panel) => panel.dataset['language'] === language) ? language : 'cli';
    panels.forEach((panel, index) => {
      const isChosen = panel.dataset['language'] === known;
      panel.hidden = !isChosen;
      tabs[index]?.setAttribute('aria-selected', String(isChosen));
      if (tabs[index]) tabs[index].tabIndex = isChosen ? 0 : -1;
    });
  };
}

/** Puts the address of this installation where the placeholder stands, so that what is copied works. */
function nameInstallation(code: Element): void {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.textContent?.includes(placeholder))
      node.textContent = node.textContent.replaceAll(placeholder, location.origin);
  }
}
