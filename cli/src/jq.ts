import type { Surroundings } from './command.ts';
import { exitCodes, Failure, usageFailure } from './failure.ts';

/** Control characters that a terminal obeys, except line ends. */
const orders = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;

/** The exit code of jq for an invalid filter. */
const unreadable = 3;

/**
 * Filters answers with jq, as WebAssembly, loaded on first use. Strings are printed without quotes; control characters
 * are removed on a terminal.
 */
export async function throughJq(filter: string, stdout: Surroundings['stdout']): Promise<Surroundings['stdout']> {
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  const apply = (json: string) => jq.raw(json, filter, ['-r', '-c']);
  const whatOf = (stderr: string) => `--jq: ${stderr.trim().replace(/^jq: /, '').split('\n')[0]}`;
  // An invalid filter is reported before any request.
  const tried = apply('null');
  if (tried.exitCode === unreadable) {
    throw usageFailure(whatOf(tried.stderr), 'See https://jqlang.org/manual/.');
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
