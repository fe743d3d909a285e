/** One event of a recording: when it is shown, in seconds, what it is, and its text. */
export interface CastEvent {
  readonly at: number;
  readonly kind: string;
  readonly text: string;
}
export interface Cast {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
  /** How long it plays. */
  readonly seconds: number;
}

/** Longer pauses are shortened: nobody watches a person think. */
export const longestPause = 2;
const sides = { columns: 500, rows: 200 } as const;
const side = (value: unknown, most: number, otherwise: number): number =>
  typeof value === 'number' && value >= 1 ? Math.min(most, Math.floor(value)) : otherwise;

/** Reads lines of asciicast v2. What is no event is left out: a recording is foreign text. */
export function readCast(text: string): Cast {
  const [first = '', ...lines] = text.split('\n');
  const header = (parse(first) ?? {}) as { width?: unknown; height?: unknown };
  const events: CastEvent[] = [];
  let said = 0;
  for (const line of lines) {
    const found = parse(line);
    if (!Array.isArray(found)) continue;
    const [seconds, kind, value] = found as unknown[];
    if (typeof seconds !== 'number' || typeof kind !== 'string' || typeof value !== 'string') continue;
    const pause = Math.min(longestPause, Math.max(0, seconds - said));
    said = Math.max(said, seconds);
    events.push({ at: (events.at(-1)?.at ?? 0) + pause, kind, text: value });
  }
  return {
    ...{ columns: side(header.width, sides.columns, 80), rows: side(header.height, sides.rows, 24) },
    ...{ events, seconds: events.at(-1)?.at ?? 0 },
  };
}
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The size of a resize, within what a page can draw. */
export function sizeIn(text: string): { readonly columns: number; readonly rows: number } | undefined {
  const found = /^(\d{1,4})x(\d{1,4})$/.exec(text);
  if (!found) return undefined;
  return { columns: side(Number(found[1]), sides.columns, 80), rows: side(Number(found[2]), sides.rows, 24) };
}

const [esc, bell] = ['\u001b', '\u0007'];
/** Sequences of terminals: of colours and movements, then titles and other strings with their end, then the short ones. */
const sequences = new RegExp(
  [
    String.raw`${esc}\[[0-?]*[ -\/]*[@-~]`,
    String.raw`${esc}[\]PX^_][^${bell}${esc}]*(?:${bell}|${esc}\\)?`,
    `${esc}[()*+]?.`,
  ].join('|'),
  'gsu',
);
/** What a person would read of output: no colours, no movements, no control characters. */
export const plainText = (text: string): string =>
  text.replaceAll(sequences, '').replaceAll(/[^\n\P{Cc}]|\p{Bidi_Control}/gu, '');

export interface Line {
  readonly at: number;
  readonly text: string;
}
const longestLine = 500;

/** The output as lines, each with the moment at which it began. */
export function transcriptOf({ events }: Pick<Cast, 'events'>): readonly Line[] {
  const lines: Line[] = [];
  let open: { at: number; text: string } | undefined;
  for (const { at, kind, text } of events) {
    if (kind !== 'o') continue;
    const parts = plainText(text).split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        if (open) lines.push(open);
        open = undefined;
      }
      if (part === '') continue;
      open ??= { at, text: '' };
      open.text = (open.text + part).slice(0, longestLine);
    }
  }
  if (open) lines.push(open);
  return lines;
}

export const findLines = (lines: readonly Line[], words: string, most: number): readonly Line[] => {
  const wanted = words.trim().toLowerCase();
  return wanted === '' ? [] : lines.filter(({ text }) => text.toLowerCase().includes(wanted)).slice(0, most);
};
