import type { AllocationDetail, TimelineItem } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import { formatOf } from './output.ts';
import { sentenceOf } from './sentence.ts';
import { showDuration } from './value.ts';

/**
 * Progress: a rail on a terminal, an object per step with -o ndjson, nothing in other pipes. A step is done when the
 * next one begins, so the rail is one line behind.
 */
export function makeRail(session: Session, beganAt: number) {
  const { stdout, env } = session.around;
  const format = formatOf(session);
  if (format === 'ndjson') {
    return {
      onPhase: (item: TimelineItem) => void stdout.write(`${JSON.stringify(item)}\n`),
      end: () => undefined,
    };
  }
  if (stdout.isTTY !== true || format !== 'table' || session.is('quiet')) return { end: () => undefined };
  const colour = env['NO_COLOR'] === undefined && !session.is('no-color');
  const green = (text: string) => (colour ? `\u001b[32m${text}\u001b[0m` : text);
  let open: { readonly words: string; readonly at: number } | undefined;
  const close = (at: number) => {
    if (!open) return;
    const took = Math.max(0, at - open.at) / 1_000;
    stdout.write(`\r\u001b[K  ${green('✓')} ${open.words.padEnd(32)} ${showDuration(took)}\n`);
    open = undefined;
  };
  return {
    onPhase(item: TimelineItem) {
      const at = Date.parse(item.at);
      close(at);
      open = { words: sentenceOf(item), at };
    },
    onLook(_allocation: AllocationDetail) {
      if (open) stdout.write(`\r\u001b[K  ◐ ${open.words} ${showDuration((session.now() - beganAt) / 1_000)}`);
    },
    end: () => close(session.now()),
  };
}
