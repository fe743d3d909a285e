import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { type ITheme, Terminal } from '@xterm/xterm';
import { makeSheetDocument } from './sheet-document.ts';

export const fontSizes = { least: 9, usual: 14, most: 28 } as const;
const scrollbackLines = 10_000;
/** Titles come from programs: what is shown of them is short and has no control characters. */
const titleLength = 60;

/** The drawing of one terminal. It knows nothing of connections. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Resolves when the screen has taken the bytes in, so that a slow browser slows the program down. */
  write(bytes: Uint8Array): Promise<void>;
  /** A line of ours between those of the shell. */
  note(text: string): void;
  show(element: HTMLElement): void;
  fit(): void;
  focus(): void;
  paste(text: string): void;
  type(text: string): void;
  setFontSize(size: number): void;
  find(text: string, direction: 'next' | 'previous'): boolean;
  endFind(): void;
  /** All the text that is kept, for a download. */
  readText(): string;
  close(): void;
}
export interface ScreenListeners {
  onInput(text: string): void;
  onResize(columns: number, rows: number): void;
  onTitle(title: string): void;
}

/** The same in light and dark: programs choose colours for a dark ground. */
const theme: ITheme = {
  background: '#0e1115',
  foreground: '#e6eaf0',
  cursor: '#82bbf7',
  selectionBackground: '#2f4a68',
};

export function openScreen(fontSize: number, listeners: ScreenListeners): Screen {
  const terminal = new Terminal({
    theme,
    fontSize,
    cursorBlink: true,
    scrollback: scrollbackLines,
    fontFamily: 'ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace',
    documentOverride: makeSheetDocument(),
  });
  const [fit, search] = [new FitAddon(), new SearchAddon()];
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new WebLinksAddon());
  terminal.onData((text) => listeners.onInput(text));
  terminal.onResize(({ cols, rows }) => listeners.onResize(cols, rows));
  terminal.onTitleChange((title) => listeners.onTitle(title.replace(/\p{C}/gu, '').slice(0, titleLength)));
  return {
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    note: (text) => terminal.write(`\r\n\x1b[0;2m[${text}]\x1b[0m\r\n`),
    show(element) {
      terminal.open(element);
      fit.fit();
    },
    fit: () => fit.fit(),
    focus: () => terminal.focus(),
    paste: (text) => terminal.paste(text),
    type: (text) => terminal.input(text),
    setFontSize(size) {
      terminal.options.fontSize = size;
      fit.fit();
    },
    find: (text, direction) => (direction === 'next' ? search.findNext(text) : search.findPrevious(text)),
    endFind: () => search.clearDecorations(),
    readText() {
      const { active } = terminal.buffer;
      const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
      return `${lines.join('\n').trimEnd()}\n`;
    },
    close: () => terminal.dispose(),
  };
}
