import { hourMs, minuteMs } from '../../kernel/units.ts';

/** The release that is deployed unless a site says otherwise. */
export const defaultSystem = { osystem: 'ubuntu', series: 'noble' } as const;
/** Jobs of a site that run at once, unless the site sets another limit. */
export const defaultParallel = 4;
/** Commissioning tests disks and memory; large hosts take half an hour. */
export const commissionMs = hourMs;
/** An installation over the network, with the firmware of a large host starting twice. */
export const deployMs = 90 * minuteMs;
/** Writing over disks of some terabytes. */
export const eraseMs = 24 * hourMs;
/** From the first boot to the first report of the agent. */
export const enrolMs = 30 * minuteMs;
/** A BMC switches the power within minutes, or not at all. */
export const powerMs = 10 * minuteMs;
/** A token has to outlast the deployment that it travels with. */
export const tokenMinutes = (deployMs + enrolMs) / minuteMs;
/** How often `seen_at` is written while nothing else changed: each write is an audit row. */
export const seenEveryMs = 5 * minuteMs;
/** Jobs of one round. */
export const jobsAtOnce = 200;
/** The longest text of a problem. */
export const problemLength = 500;
/** Calls to sites that one round has in flight. */
export const sitesAtOnce = 8;
/** Machines that one scrape of the metrics counts. */
export const machinesCounted = 5_000;
