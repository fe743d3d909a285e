import { describe, expect, it } from 'vitest';
import { isReachable, readNetworks } from './addresses.ts';
import { openGuardedWebhooks } from './guarded.ts';

const nothing = readNetworks(undefined);

describe('an address that events are posted to', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['all of loopback', '127.255.255.254'],
    ['this network', '0.0.0.0'],
    ['private, class A', '10.1.2.3'],
    ['private, class B', '172.16.0.1'],
    ['private, class C', '192.168.1.1'],
    ['link-local', '169.254.1.1'],
    ['the metadata service of clouds', '169.254.169.254'],
    ['shared address space', '100.64.0.1'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['IPv6 loopback', '::1'],
    ['IPv6 nothing', '::'],
    ['IPv6 link-local', 'fe80::1'],
    ['IPv6 unique local', 'fd00:ec2::254'],
    ['IPv6 multicast', 'ff02::1'],
    ['IPv6 documentation', '2001:db8::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped private', '::ffff:10.0.0.1'],
    ['mapped metadata, in hex', '::ffff:a9fe:a9fe'],
    ['compatible loopback', '::127.0.0.1'],
    ['NAT64 of private', '64:ff9b::10.0.0.1'],
    ['local NAT64', '64:ff9b:1::1'],
    ['6to4 of private', '2002:a00:1::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['short form', '127.1'],
    ['octal form', '0177.0.0.1'],
    ['hex form', '0x7f000001'],
    ['decimal form', '2130706433'],
    ['a scope', 'fe80::1%eth0'],
    ['a name', 'localhost'],
  ])('is refused: %s (%s)', (_, address) => {
    expect(isReachable(address, nothing)).toBe(false);
  });

  it.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])('is allowed when public: %s', (address) => {
    expect(isReachable(address, nothing)).toBe(true);
  });

  it('is allowed where the operator allows its network, and nowhere else', () => {
    const networks = readNetworks('10.1.0.0/16, fd00::/8');
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1'].map((each) => isReachable(each, networks))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['10.2.0.1', '127.0.0.1', 'fe80::1'].map((each) => isReachable(each, networks))).toEqual([
      false,
      false,
      false,
    ]);
    expect(() => readNetworks('10.1.0.0')).toThrow('is no network');
  });

  it.each([
    'http://example.com/hook',
    'ftp://example.com/hook',
    'https://user:password@example.com/',
    'https://example.com/#part',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://db.internal/',
    'https://printer.local/',
    'https://intranet/',
    'not an address',
  ])('has an objection by its text alone: %s', (url) => {
    expect(openGuardedWebhooks({}).objection(url)).toEqual(expect.any(String));
  });

  it('is refused when one of the addresses of its name is not public, whatever the others are', async () => {
    const asked: string[] = [];
    const webhooks = openGuardedWebhooks(
      {},
      {
        resolve: async (name) => {
          asked.push(name);
          return [
            { address: '93.184.216.34', family: 4 },
            { address: '10.0.0.5', family: 4 },
          ];
        },
      },
    );
    const posted = await webhooks.post({ url: 'https://rebind.example/', headers: {}, body: '{}', timeoutMs: 10_000 });
    expect(posted).toEqual({ refused: expect.stringContaining('no public address') });
    expect(asked).toEqual(['rebind.example']);
    await webhooks.close();
  });

  it('is answered alike when its name is private and when there is no such name', async () => {
    const answer = async (resolve: () => Promise<{ address: string; family: number }[]>) => {
      const webhooks = openGuardedWebhooks({}, { resolve });
      const message = { url: 'https://db.corp.example/', headers: {}, body: '{}', timeoutMs: 10_000 };
      const posted = await webhooks.post(message);
      await webhooks.close();
      return posted;
    };
    const inside = await answer(async () => [{ address: '10.0.0.5', family: 4 }]);
    expect(inside).toEqual({ refused: expect.any(String) });
    expect(await answer(() => Promise.reject(new Error('getaddrinfo ENOTFOUND')))).toEqual(inside);
    expect(await answer(async () => [])).toEqual(inside);
  });
});
