import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { openTerminalScene, type TerminalScene } from './testing.ts';

let world: World;
let home: Tenant;
let scene: TerminalScene;
let ada: string;
let machine: string;
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  scene = openTerminalScene(world, home);
  ada = await world.join('ada', home, 'member');
  machine = await scene.machineOf('ada');
});
afterAll(() => world.close());

/** What the node was asked for last. */
const lastTask = async () =>
  (
    await world.root.query(
      `select envelope -> 'params' as params from node_tasks where task_type = 'terminal.open' order by id desc limit 1`,
    )
  ).rows[0].params;

describe('a session that is no shell', () => {
  it('carries SSH to the node, with no grace time in which input could be lost', async () => {
    const minted = await scene.mint(ada, machine, { kind: 'ssh' });
    expect(minted.status, minted.text).toBe(201);
    expect(minted.body.name).toBe('ssh 1');
    expect(await scene.attach(minted.body.token, machine)).toMatchObject({ session: { kind: 'ssh' } });
    expect(await lastTask()).toMatchObject({ stream: { kind: 'ssh' }, grace_seconds: 0 });
    const { body } = await scene.sessions(ada, machine);
    expect(body.data[0]).toMatchObject({ kind: 'ssh', port: null });
  });

  it('uses its token once, and only for its own allocation', async () => {
    const other = await scene.machineOf('ada');
    const minted = await scene.mint(ada, machine, { kind: 'ssh' });
    expect(await scene.attach(minted.body.token, other)).toMatchObject({ code: 'terminal_token_invalid' });
    expect(await scene.attach(minted.body.token, machine)).toMatchObject({ code: 'terminal_token_invalid' });
  });

  it('reaches the ports that policy allows and no others, and the node is told which', async () => {
    const minted = await scene.mint(ada, machine, { kind: 'forward', port: 8_888 });
    await scene.attach(minted.body.token, machine);
    expect(await lastTask()).toMatchObject({ stream: { kind: 'forward', port: 8_888 } });
    const refused = await scene.mint(ada, machine, { kind: 'forward', port: 22 });
    expect([refused.status, refused.body.code]).toEqual([422, 'terminal_port_refused']);
    expect(refused.body.details).toMatchObject({ lowest: 1_024, highest: 65_535 });
  });

  it.each([{ kind: 'forward' }, { kind: 'ssh', port: 8_888 }, { port: 8_888 }])(
    'has a port exactly when it forwards one: %j',
    async (wish) => {
      expect((await scene.mint(ada, machine, wish)).body).toMatchObject({
        code: 'validation_error',
        details: { field: 'port' },
      });
    },
  );

  it('is joined, taken over and watched by nobody', async () => {
    const minted = await scene.mint(ada, machine, { kind: 'ssh' });
    for (const mode of ['join', 'take_over', 'watch']) {
      const again = await scene.mint(ada, machine, { mode, session_id: minted.body.session_id });
      expect(again.body).toMatchObject({ code: 'validation_error', details: { field: 'mode' } });
    }
  });

  it('is refused where sessions have to be recorded', async () => {
    const recorded = await openWorld({ beside: world, policies: { 'terminal.recording': 'output' } });
    const wishes = [{ kind: 'ssh' }, { kind: 'forward', port: 8_888 }];
    for (const wish of wishes) {
      const refused = await openTerminalScene(recorded, home).mint(ada, machine, wish);
      expect([refused.status, refused.body.code]).toEqual([403, 'terminal_recording_required']);
    }
    await recorded.close();
  });
});
