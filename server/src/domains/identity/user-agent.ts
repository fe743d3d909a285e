/** What a User-Agent header tells a person who wonders which of their devices this was. Order matters: all claim to be others. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^gpuaas\b/i, 'GPUaaS CLI'],
  [/^curl\//, 'curl'],
];
const systems: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bdarwin\b/i, 'macOS'],
  [/\bLinux\b/i, 'Linux'],
];

export interface Device {
  readonly browser: string | undefined;
  readonly os: string | undefined;
  readonly deviceLabel: string | undefined;
}

export function describeDevice(userAgent: string | undefined): Device {
  const named = (list: readonly [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const [browser, os] = [named(browsers), named(systems)];
  return { browser, os, deviceLabel: browser && os ? `${browser} on ${os}` : (browser ?? os) };
}
