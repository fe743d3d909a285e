const [tilde, dot, newline, enter] = [0x7e, 0x2e, 0x0a, 0x0d];

/** Watches what is typed for `~.` at the beginning of a line, as ssh does: it leaves. `~~` there types one tilde. */
export function makeEscape(to: { pass(bytes: Uint8Array): void; leave(): void }): (typed: Uint8Array) => void {
  let [atBeginning, held] = [true, false];
  return (typed) => {
    const passed: number[] = [];
    for (const byte of typed) {
      if (held) {
        held = false;
        if (byte === dot) {
          if (passed.length > 0) to.pass(Uint8Array.from(passed));
          return to.leave();
        }
        if (byte !== tilde) passed.push(tilde);
      } else if (atBeginning && byte === tilde) {
        [held, atBeginning] = [true, false];
        continue;
      }
      passed.push(byte);
      atBeginning = byte === newline || byte === enter;
    }
    if (passed.length > 0) to.pass(Uint8Array.from(passed));
  };
}
