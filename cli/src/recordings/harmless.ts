/**
 * What a program printed once is shown in the terminal of another person, so it is not passed on as it is: a recording could set
 * the clipboard, rename the window, ask the terminal for answers that are then typed, or leave it in a strange state. Text, colours and
 * movements of the cursor pass; everything else is left out. Sequences may be cut between two pieces.
 */
export function makeHarmless(): (text: string) => string {
  let rest = '';
  return (text) => {
    const all = rest + text;
    let [shown, at] = ['', 0];
    rest = '';
    while (at < all.length) {
      const sign = all[at] ?? '';
      if (sign !== esc && !isControl(sign)) {
        shown += sign;
        at += 1;
        continue;
      }
      const found = readSequence(all, at);
      if (!found) {
        // Its end is to come. Nothing legitimate is this long.
        if (all.length - at <= longest) rest = all.slice(at);
        return shown;
      }
      if (found.isHarmless) shown += all.slice(at, found.end);
      at = found.end;
    }
    return shown;
  };
}

const esc = '\u001b';
const longest = 65_536;
const passing = new Set(['\b', '\t', '\n', '\r', '\u000e', '\u000f']);
const isControl = (sign: string): boolean => sign < ' ' || (sign >= '\u007f' && sign <= '\u009f');
/** Movement, erasing, scrolling, insertion, colours and margins. */
const finals = /^[A-HJ-MPSTX@`adefgmrsu]$/;
/** The cursor, line wrap, the second screen. Modes of mouse, focus and paste would stay after the replay. */
const modes = /^\?(7|25|47|1047|1049)(;(7|25|47|1047|1049))*$/;

interface Sequence {
  readonly end: number;
  readonly isHarmless: boolean;
}
/** The sequence that begins here; undefined when its end is missing. */
function readSequence(text: string, at: number): Sequence | undefined {
  const sign = text[at] ?? '';
  if (sign !== esc) return readEightBit(text, at, sign);
  const next = text[at + 1];
  if (next === undefined) return undefined;
  if (next === '[') return readControl(text, at + 2);
  if (']P_^X'.includes(next)) return readString(text, at + 2);
  // A character set has one more sign.
  if ('()*+'.includes(next)) {
    return text[at + 2] === undefined ? undefined : { end: at + 3, isHarmless: '0AB'.includes(text[at + 2] ?? '') };
  }
  return { end: at + 2, isHarmless: '78DEM=>'.includes(next) };
}
function readEightBit(text: string, at: number, sign: string): Sequence | undefined {
  if (sign === '\u009b') {
    const found = readControl(text, at + 1);
    return found && { ...found, isHarmless: false };
  }
  if (['\u0090', '\u0098', '\u009d', '\u009e', '\u009f'].includes(sign)) return readString(text, at + 1);
  return { end: at + 1, isHarmless: passing.has(sign) };
}
function readControl(text: string, from: number): Sequence | undefined {
  let at = from;
  while (at < text.length && /[ -?]/.test(text[at] ?? '')) at += 1;
  const final = text[at];
  if (final === undefined) return undefined;
  const values = text.slice(from, at);
  const isMode = (final === 'h' || final === 'l') && (modes.test(values) || /^(4|20)$/.test(values));
  return { end: at + 1, isHarmless: isMode || (finals.test(final) && /^[0-9;:]*$/.test(values)) };
}
/** Commands to the operating system and the like: up to their terminator, and never shown. */
function readString(text: string, from: number): Sequence | undefined {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\u0007' || sign === '\u009c') return { end: at + 1, isHarmless: false };
    if (sign === esc) return text[at + 1] === undefined ? undefined : { end: at + 2, isHarmless: false };
  }
  return undefined;
}
