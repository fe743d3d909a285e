import { type LocalAccounts, people } from './accounts.ts';
import { duration, type Steps } from './steps.ts';

/** Tells the person at the terminal where everything is. */
export function welcome(
  { line }: Steps,
  facts: {
    url: string;
    dataDir: string;
    accounts: LocalAccounts;
    logPath: string | undefined;
    ephemeral: boolean;
    inboxUrl: string | undefined;
    checkoutUrl: string | undefined;
    registry: string;
    isSimulated: boolean;
    speed: number;
    took: number;
  },
): void {
  const { url, dataDir, accounts } = facts;
  line();
  line(`  Ready in ${duration(facts.took)}.`);
  line();
  line(`  URL      ${url}`);
  for (const [index, { login, may }] of people.entries()) {
    line(`  ${index === 0 ? 'Logins ' : '       '}  ${login.padEnd(9)} ${may}`);
  }
  line(`  Password ${accounts.password}  (for all of them; kept in ${accounts.passwordPath})`);
  line(`  CLI      npx gpuaas login --base-url ${url}`);
  line(`  Try      curl -sS ${url}/api/v1/sign-in`);
  line(`  Docs     ${url}/docs`);
  line(`  API      ${url}/openapi.json`);
  if (facts.inboxUrl) line(`  Mail     ${facts.inboxUrl}  (outgoing email, captured)`);
  if (facts.checkoutUrl) line(`  Pay      ${facts.checkoutUrl}  (simulated checkout: no money moves)`);
  line(`  Registry ${facts.registry}  (images of apps; gpuaas app registry login opens it)`);
  if (facts.speed > 1)
    line(
      `  Time     runs ${facts.speed} times as fast on simulated hosts: a second is charged as ${facts.speed} seconds`,
    );
  if (facts.isSimulated)
    line(`  Fleet    ${url}/api/v1/sim/nodes  (hosts that do not exist; the operator may break them)`);
  line(`  Data     ${dataDir}${facts.ephemeral ? ' (removed at the end)' : ''}`);
  if (facts.logPath) line(`  Log      ${facts.logPath}`);
  line('  Stop     Ctrl-C');
  line();
}
