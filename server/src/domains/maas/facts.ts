import { hourMs, minuteMs } from '../../kernel/units.ts';

/** The release that is deployed unless a site says otherwise. */
export const usualSystem = { osystem: 'ubuntu', series: 'noble' } as const;
/** How many machines of a site are worked on at once unless it says otherwise. */
export const usualParallel = 4;
/** Commissioning tests disks and memory; large hosts take half an hour. */
export const commissionMs = hourMs;
/** An installation over the network, with the firmware of a large host starting twice. */
export const deployMs = 90 * minuteMs;
/** Writing over disks of some terabytes. */
export const eraseMs = 24 * hourMs;
/** From the first boot to the first report of the agent. */
export const enrolMs = 30 * minuteMs;
/** A BMC that is asked to switch answers within minutes, or not at all. */
export const powerMs = 10 * minuteMs;
/** A token has to outlast the deployment that it travels with. */
export const tokenMinutes = (deployMs + enrolMs) / minuteMs;
/** That a site answers is noted again after this time: each note is an audit row. */
export const seenEveryMs = 5 * minuteMs;
/** Jobs that one round looks at. */
export const jobsAtOnce = 200;
/** As long as a problem is kept. */
export const problemLength = 500;
/** Calls to sites that one round has in flight. */
export const sitesAtOnce = 8;
/** Machines that one look at the metrics counts. */
export const machinesCounted = 5_000;
