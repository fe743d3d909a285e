import type { Surroundings } from './command.ts';
import { exitCodes, Failure, usageFailure } from './failure.ts';

/** Which characters a terminal obeys, apart from the ends of lines. */
const orders = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** How jq ends when the filter itself is wrong. */
const unreadable = 3;

/**
 * Answers what jq makes of each answer: jq itself, as WebAssembly, loaded by whoever asks for it. A text stands without
 * quotes, as people expect it of a command line; on a terminal it stays a text.
 */
export async function throughJq(filter: string, stdout: Surroundings['stdout']): Promise<Surroundings['stdout']> {
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  const apply = (json: string) => jq.raw(json, filter, ['-r', '-c']);
  const whatOf = (stderr: string) => `--jq: ${stderr.trim().replace(/^jq: /, '').split('\n')[0]}`;
  // A filter that cannot be read is said before anything is asked or done.
  const tried = apply('null');
  if (tried.exitCode === unreadable) {
    throw usageFailure(whatOf(tried.stderr), 'jq is described at https://jqlang.org/manual/.');
  }
  return {
    ...(stdout.isTTY !== undefined && { isTTY: stdout.isTTY }),
    write: (text) => {
      const { stdout: out, stderr, exitCode } = apply(text);
      const whole = out === '' ? '' : `${out.replace(/\n$/, '')}\n`;
      if (whole !== '') stdout.write(stdout.isTTY === true ? whole.replaceAll(orders, '\u00b7') : whole);
      if (exitCode === 0) return;
      throw new Failure(exitCodes.failed, whatOf(stderr), { next: 'Look at the whole answer with -o json.' });
    },
  };
}
