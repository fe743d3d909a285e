import { describe, expect, it } from 'vitest';
import { describeDevice } from './user-agent.ts';

describe('the device of a session', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 Version/17.5 Safari/605.1.15',
      'Safari on macOS',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox on Linux'],
    ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['gpuaas/1.2.0 (linux)', 'GPUaaS CLI on Linux'],
    ['curl/8.5.0', 'curl'],
  ])('is named from %s', (agent, label) => {
    expect(describeDevice(agent).deviceLabel).toBe(label);
  });

  it('is not named when nothing is known', () => {
    expect(describeDevice('something else')).toEqual({ browser: undefined, os: undefined, deviceLabel: undefined });
    expect(describeDevice(undefined).deviceLabel).toBeUndefined();
  });
});
