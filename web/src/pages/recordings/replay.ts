import '@xterm/xterm/css/xterm.css';
import { Terminal } from '@xterm/xterm';
import { makeSheetDocument } from '../terminal/sheet-document.ts';
import { type Cast, sizeIn } from './transcript.ts';

/** A recording on a screen. It plays, stops and jumps. */
export interface Replay {
  /** Where it is, in seconds. */
  readonly at: number;
  readonly isPlaying: boolean;
  show(element: HTMLElement): void;
  play(): void;
  pause(): void;
  seek(seconds: number): void;
  setSpeed(speed: number): void;
  close(): void;
}

const tickMs = 50;

/**
 * The terminal library only draws here: nothing is typed, what a sequence makes it answer goes nowhere, links lead nowhere and
 * titles are not heard. So a hostile recording can change its own picture and nothing else.
 */
export function openReplay(cast: Cast, onChange: () => void): Replay {
  const terminal = new Terminal({
    ...{ cols: cast.columns, rows: cast.rows, disableStdin: true, cursorBlink: false, scrollback: 1_000, fontSize: 13 },
    theme: { background: '#0e1115', foreground: '#e6eaf0', cursor: '#82bbf7', selectionBackground: '#2f4a68' },
    fontFamily: 'ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace',
    documentOverride: makeSheetDocument(),
    linkHandler: { activate: () => undefined, allowNonHttpProtocols: false },
  });
  let [at, next, speed] = [0, 0, 1];
  let timer: ReturnType<typeof setInterval> | undefined;
  const showUntil = (seconds: number): void => {
    at = Math.min(seconds, cast.seconds);
    const later = cast.events.findIndex((event) => event.at > at);
    const end = later < 0 ? cast.events.length : later;
    for (const event of cast.events.slice(next, end)) {
      if (event.kind === 'o') terminal.write(event.text);
      const size = event.kind === 'r' ? sizeIn(event.text) : undefined;
      if (size) terminal.resize(size.columns, size.rows);
    }
    next = end;
    onChange();
  };
  const pause = (): void => {
    clearInterval(timer);
    timer = undefined;
    onChange();
  };
  const seek = (seconds: number): void => {
    if (seconds < at) {
      terminal.reset();
      next = 0;
    }
    showUntil(seconds);
  };
  return {
    get at() {
      return at;
    },
    get isPlaying() {
      return timer !== undefined;
    },
    show(element) {
      terminal.open(element);
      showUntil(0);
    },
    play() {
      if (timer !== undefined) return;
      if (at >= cast.seconds) seek(0);
      let before = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        showUntil(at + ((now - before) / 1_000) * speed);
        before = now;
        if (at >= cast.seconds) pause();
      }, tickMs);
      onChange();
    },
    pause,
    seek,
    setSpeed(value) {
      speed = value;
    },
    close() {
      clearInterval(timer);
      terminal.dispose();
    },
  };
}
