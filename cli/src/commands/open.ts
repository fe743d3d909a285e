import type { Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { browserOf, openBrowser } from '../login/browser.ts';
import { resolveAllocation } from '../resolve.ts';

/** Opens the console. Without a browser it prints the address. */
export const open: Run = async (session) => {
  const { baseUrl } = await session.profile();
  const page = session.arg(0) === '' ? '/' : `/allocations/${await resolveAllocation(session)}`;
  const { env, stdout } = session.around;
  const hasScreen = stdout.isTTY === true && !env['SSH_CONNECTION'] && browserOf(env, process.platform) !== undefined;
  stdout.write(`${baseUrl}${page}\n`);
  if (hasScreen && !session.is('print')) openBrowser(`${baseUrl}${page}`, env);
  return exitCodes.ok;
};
