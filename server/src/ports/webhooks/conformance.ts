import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import type { WebhooksConfig } from './open.ts';
import type { Post, Webhooks } from './port.ts';

/** A receiver on this machine, and a way to it. */
export interface WebhooksWorld {
  readonly config: WebhooksConfig;
  open(): Promise<Webhooks>;
  /** Where the receiver listens: `/status/500` answers that, `/large` without end, `/silent` never, `/moved` elsewhere. */
  readonly base: string;
  readonly received: {
    readonly path: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }[];
  close(): Promise<void>;
}

/** What every way to the addresses of tenants promises. */
export function webhooksConformance(name: string, makeWorld: () => Promise<WebhooksWorld>): void {
  describe(`webhooks: ${name}`, () => {
    let world: WebhooksWorld;
    const opened: Webhooks[] = [];
    const open = async () => {
      const webhooks = await world.open();
      opened.push(webhooks);
      return webhooks;
    };
    const to = (path: string, changes: Partial<Post> = {}): Post => ({
      url: `${world.base}${path}`,
      headers: { 'content-type': 'application/json', 'webhook-id': 'one' },
      body: '{"text":"größe"}',
      timeoutMs: 20_000,
      ...changes,
    });
    beforeAll(async () => {
      world = await makeWorld();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((webhooks) => webhooks.close()));
    });
    afterAll(() => world?.close());

    it('posts the bytes and the headers that it was given, and answers the status', async () => {
      const webhooks = await open();
      expect(await webhooks.post(to('/status/204'))).toEqual({ status: 204 });
      expect(world.received.at(-1)).toMatchObject({
        path: '/status/204',
        body: '{"text":"größe"}',
        headers: { 'content-type': 'application/json', 'webhook-id': 'one' },
      });
    });

    it.each([200, 400, 410, 500])('answers the status %i as it is', async (status) => {
      expect(await (await open()).post(to(`/status/${status}`))).toEqual({ status });
    });

    it('does not follow a redirect', async () => {
      const webhooks = await open();
      const before = world.received.length;
      expect(await webhooks.post(to('/moved'))).toEqual({ status: 302 });
      expect(world.received.slice(before).map(({ path }) => path)).toEqual(['/moved']);
    });

    it('reads no more of an answer than it needs', async () => {
      expect(await (await open()).post(to('/large'))).toEqual({ status: 200 });
    });

    it('gives up a receiver that does not answer', async () => {
      const posted = await (await open()).post(to('/silent', { timeoutMs: 300 }));
      expect(posted).toEqual({ failed: expect.stringContaining('in time') });
    });

    it('says that nobody is there, and not what it saw', async () => {
      const url = new URL(world.base);
      url.port = '1';
      const posted = await (await open()).post(to('', { url: url.href }));
      expect(posted).toEqual({ failed: 'The receiver could not be reached.' });
    });

    it.each(['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[fd00::1]/', 'https://[::ffff:10.0.0.1]/'])(
      'refuses %s and opens no connection',
      async (url) => {
        const webhooks = await open();
        expect(webhooks.objection(url)).toEqual(expect.any(String));
        expect(await webhooks.post(to('', { url }))).toEqual({ refused: expect.stringContaining('not public') });
      },
    );

    it('is given up by close', async () => {
      const webhooks = await world.open();
      await webhooks.close();
      await webhooks.close();
      await expect(webhooks.post(to('/status/200'))).rejects.toThrow(/closed/);
      await expect(webhooks.check()).rejects.toThrow(/closed/);
    });

    it('leaves nothing behind that would keep a process alive', async () => {
      const path = import.meta.resolve('./open.ts');
      await expect(endsByItself(path, 'openWebhooks', world.config)).resolves.toBeUndefined();
    });
  });
}
