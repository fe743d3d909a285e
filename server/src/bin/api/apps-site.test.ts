import { describe, expect, it } from 'vitest';
import { mayShareSite, objectionToAppsUrl } from './apps-site.ts';

describe('the address of apps', () => {
  it.each([
    ['the host of the console', 'https://gpu.example.com', 'https://gpu.example.com'],
    ['below the console', 'https://apps.gpu.example.com', 'https://gpu.example.com'],
    ['above the console', 'https://example.com', 'https://gpu.example.com'],
    ['beside the console, deeper', 'https://apps.eu.example.com', 'https://console.eu.example.com'],
    ['the same in other letters', 'https://Apps.GPU.example.com', 'https://gpu.Example.com'],
  ])('is refused when it is %s', (_, apps, own) => {
    expect(objectionToAppsUrl(apps, own)).toContain('a domain of their own');
  });

  it.each([
    ['another domain', 'https://apps.example.net', 'https://gpu.example.com'],
    ['another owner below a suffix', 'https://apps.other.co.uk', 'https://gpu.example.co.uk'],
    ['a name that only ends alike', 'https://notgpu.example.net', 'https://gpu.example.com'],
    ['this machine', 'http://apps.localhost:8448', 'http://localhost:8080'],
  ])('may be %s', (_, apps, own) => {
    expect(objectionToAppsUrl(apps, own)).toBeUndefined();
  });

  it('beside the console on what looks like one domain is worth a warning', () => {
    expect(mayShareSite('https://apps.example.com', 'https://gpu.example.com')).toBe(true);
    expect(mayShareSite('https://apps.example.net', 'https://gpu.example.com')).toBe(false);
  });
});
