import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Parser as AsyncapiParser } from '@asyncapi/parser';
import { closed, type Verdict } from './verdict.ts';

/** Whether the emitted documents are what they claim to be, asked of the programs that others will read them with. */
const advice = 'The emitter in tools/emit wrote something that the specification does not allow; mend it there.';
const deadlineMs = 60_000;
const require = createRequire(import.meta.url);

interface Problem {
  readonly severity: string;
  readonly message: string;
  readonly ruleId: string;
  readonly location?: readonly { readonly pointer?: string }[];
}

export const checkOpenapiIsValid = (path: string): Promise<Verdict> =>
  closed('OpenAPI is valid', advice, async () => {
    const report = JSON.parse(await lint(path)) as { readonly problems?: readonly Problem[] };
    if (!Array.isArray(report.problems)) throw new Error('redocly did not answer with a report.');
    return (report.problems as readonly Problem[])
      .filter(({ severity }) => severity === 'error')
      .map(({ location, message, ruleId }) => `${location?.[0]?.pointer ?? '#'}: ${message} (${ruleId})`);
  });

function lint(path: string): Promise<string> {
  const manifest = require.resolve('@redocly/cli/package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> };
  const program = join(dirname(manifest), bin['redocly'] ?? '');
  // It would look for a configuration, a newer release and a place to report to; it shall do none of it.
  const env = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const args = [program, 'lint', '--extends=spec', '--format=json', path];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { env, timeout: deadlineMs, maxBuffer: 64 * 1024 * 1024 },
      (fault, stdout, stderr) => {
        // Findings are an exit status of one and a report; anything else without a report is a program that did not run.
        if (stdout.trim() === '') reject(new Error(`redocly did not run: ${fault?.message ?? stderr}`));
        else resolve(stdout);
      },
    );
  });
}

/** The parser numbers what it found by severity, and zero is an error. */
const asError = 0;

export const checkAsyncapiIsValid = (path: string): Promise<Verdict> =>
  closed('AsyncAPI is valid', advice, async () => {
    // Loaded late: it is large, and only this gate needs it.
    const { Parser } = require('@asyncapi/parser') as { Parser: typeof AsyncapiParser };
    const found = await new Parser().validate(readFileSync(path, 'utf8'));
    return found
      .filter(({ severity }) => severity === asError)
      .map(({ path: at, message, code }) => `#/${at.join('/')}: ${message} (${String(code)})`);
  });
