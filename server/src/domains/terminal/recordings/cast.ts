import { utf8Cut } from '../../../kernel/files/utf8-cut.ts';
import { secondMs } from '../../../kernel/units.ts';
import { castVersions } from '../facts.ts';
import type { ChunkHead } from './chunk.ts';

/** What the next page has to know of the pages before it: the time of the last event, and bytes of a character that is cut. */
export interface CastPlace {
  readonly ms: number;
  readonly cut: Buffer;
}
export type CastFormat = 'v2' | 'v3';
export interface CastFacts {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
  readonly beganAt: Date | null;
}

/** The first line. The size is that of the first event; the title is the name of the session, which has no control characters. */
export function castHeader(format: CastFormat, { name, columns, rows, beganAt }: CastFacts): string {
  const timestamp = beganAt ? { timestamp: Math.floor(beganAt.getTime() / secondMs) } : {};
  const header =
    format === 'v2'
      ? { version: castVersions.v2, width: columns, height: rows, ...timestamp, title: name }
      : { version: castVersions.v3, term: { cols: columns, rows }, ...timestamp, title: name };
  return `${JSON.stringify(header)}\n`;
}

/**
 * The events of chunks as lines of asciicast, which holds text. Characters that are cut between two events are joined; bytes that are no
 * UTF-8 become U+FFFD. The chunks themselves keep the bytes.
 */
export function castEvents(
  chunks: readonly { readonly head: ChunkHead; readonly payload: Buffer }[],
  format: CastFormat,
  from: CastPlace,
): { readonly text: string; readonly at: CastPlace } {
  let { ms: before, cut } = from;
  const lines: string[] = [];
  const add = (ms: number, kind: string, text: string): void => {
    // Times of v3 count from the event before.
    const time = format === 'v2' ? ms : Math.max(0, ms - before);
    before = Math.max(before, ms);
    lines.push(`${JSON.stringify([time / secondMs, kind, text])}\n`);
  };
  for (const { head, payload } of chunks) {
    let at = 0;
    for (const [ms, kind, value] of head.events) {
      if (typeof value === 'string') {
        add(ms, kind, value);
        continue;
      }
      const bytes = payload.subarray(at, at + value);
      at += value;
      if (kind === 'i') {
        add(ms, kind, bytes.toString('utf8'));
        continue;
      }
      const whole = Buffer.concat([cut, bytes]);
      const end = whole.length - utf8Cut(whole);
      cut = Buffer.from(whole.subarray(end));
      if (end > 0) add(ms, kind, whole.subarray(0, end).toString('utf8'));
    }
    if (head.final && cut.length > 0) {
      add(before, 'o', cut.toString('utf8'));
      cut = Buffer.alloc(0);
    }
  }
  return { text: lines.join(''), at: { ms: before, cut } };
}
