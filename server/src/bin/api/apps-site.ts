/**
 * Why apps must not live at an address; undefined when they may. Pages of apps are written by tenants. Below the host of the console, above it
 * or beside it on one site, browsers would let them set its cookies and send it requests with them.
 */
export function objectionToAppsUrl(appsUrl: string, publicUrl: string): string | undefined {
  const [apps, own] = [appsUrl, publicUrl].map((url) => new URL(url).hostname.toLowerCase()) as [string, string];
  // Names of this machine are for trying things out.
  if (isLocal(apps) || isLocal(own)) return undefined;
  if (!isWithin(apps, own) && !isWithin(own, apps) && sharedLabels(apps, own) < leastShared) return undefined;
  return `apps below ${apps} would share a site with the console at ${own}: give them a domain of their own`;
}

/** Two labels in common may be a suffix that strangers share (co.uk); three are a site of one owner. */
const leastShared = 3;
const isLocal = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');
const isWithin = (host: string, of: string): boolean => host === of || host.endsWith(`.${of}`);
function sharedLabels(one: string, other: string): number {
  const [left, right] = [one, other].map((host) => host.split('.').reverse()) as [string[], string[]];
  const differs = left.findIndex((label, at) => label !== right[at]);
  return differs < 0 ? left.length : differs;
}

/** Whether only the last two labels are the same: mostly one owner with two hosts, sometimes two owners below a suffix such as co.uk. */
export const mayShareSite = (appsUrl: string, publicUrl: string): boolean =>
  sharedLabels(new URL(appsUrl).hostname.toLowerCase(), new URL(publicUrl).hostname.toLowerCase()) === leastShared - 1;
