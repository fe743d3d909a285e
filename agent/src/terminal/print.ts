import type { Shell } from '../host/port.ts';
import type { Bell } from './bell.ts';
import type { Output } from './output.ts';

/** Reads what the shell prints while there is room for it; without room the shell waits. At the end it reads everything. */
export async function print(
  pty: Shell,
  parts: {
    readonly output: Output;
    readonly changed: Bell;
    readonly pump: () => void;
    readonly isOver: () => boolean;
  },
): Promise<void> {
  const { output, changed } = parts;
  const reader = pty.output.getReader();
  for (;;) {
    while (!output.mayPrint && !parts.isOver()) await changed.wait();
    const { done, value } = await reader.read();
    if (done) return;
    output.push(value);
    parts.pump();
  }
}
