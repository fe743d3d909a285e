import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeLeases } from './leases.ts';

/** The process that a test kills: it tells its parent when it holds the lease, and goes on holding it. */
const { url, name } = JSON.parse(process.argv[2] ?? '') as { readonly url: string; readonly name: string };
const lease = await makeLeases({ url, log: silentLog }).hold(name);
process.send?.(lease.current()?.number);
// An open channel to the parent keeps the process alive.
process.on('message', () => undefined);
