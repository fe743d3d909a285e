import { describe, expect, it } from 'vitest';
import { makeHarmless } from './harmless.ts';

const shown = (text: string) => makeHarmless()(text);

describe('what a recording prints into the terminal of another person', () => {
  it.each([
    ['sets the clipboard', '\u001b]52;c;cm0gLXJmIH4=\u0007'],
    ['renames the window', '\u001b]0;owned\u0007'],
    ['renames the window, with the other terminator', '\u001b]2;owned\u001b\\'],
    ['makes a link', '\u001b]8;;file:///etc/passwd\u001b\\'],
    ['asks what the terminal is', '\u001b[c'],
    ['asks for more of it', '\u001b[>0q'],
    ['asks where the cursor is', '\u001b[6n'],
    ['asks for the title', '\u001b[21t'],
    ['asks for a setting', '\u001bP$qm\u001b\\'],
    ['sends a message to the terminal', '\u001b_payload\u001b\\'],
    ['sends a private message', '\u001b^payload\u001b\\'],
    ['reports the mouse', '\u001b[?1000;1006h'],
    ['reports the focus', '\u001b[?1004h'],
    ['brackets pastes', '\u001b[?2004h'],
    ['uses the eight-bit forms', '\u009d52;c;eA==\u009c\u009b6n\u0090x\u009c'],
    ['rings', '\u0007'],
    ['resets the terminal', '\u001bc'],
    ['answers back', '\u0005'],
    ['hides behind a mode that is allowed', '\u001b[?25;2004h'],
  ])('does not pass when it %s', (_, text) => {
    expect(shown(`a${text}b`)).toBe('ab');
  });

  it('passes text, colours, movements and the second screen', () => {
    const text =
      'grün\r\n\u001b[1;38;5;200mx\u001b[0m\u001b[2J\u001b[10;20H\u001b[K\u001b[?1049h\u001b[?25l\u001b7\u001b8\u001b(0q\u001b(B';
    expect(shown(text)).toBe(text);
  });

  it('holds a sequence that is cut, at whichever place', () => {
    const text = 'a\u001b]52;c;eA==\u001b\\b\u001b[31mc\u001b[6nd\u001b(0e';
    for (let cut = 0; cut <= text.length; cut += 1) {
      const pass = makeHarmless();
      expect(pass(text.slice(0, cut)) + pass(text.slice(cut))).toBe('ab\u001b[31mcd\u001b(0e');
    }
  });

  it('keeps no more than a bound of a sequence that never ends', () => {
    const pass = makeHarmless();
    expect(pass(`\u001b]${'x'.repeat(70_000)}`)).toBe('');
    expect(pass('text')).toBe('text');
  });
});
