import { describe, expect, it } from 'vitest';
import { systemViewer } from '../../kernel/act.ts';
import { readOff } from './event-log.ts';
import { makeFollower, type Round, type TailEvent } from './tail.ts';

const acme = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const event = (position: number, transactionId: number, more: Partial<TailEvent> = {}): TailEvent => ({
  ...{ position: String(position), transactionId: String(transactionId), organizationId: acme, projectId: 'one' },
  ...{ key: 'k', type: 'tenancy.project.changed', envelope: `{"n":${position}}` },
  ...more,
});
const round = (from: number, to: number, ...events: TailEvent[]): Round => ({
  from: BigInt(from),
  to: BigInt(to),
  events,
});
const nobody = () => undefined;
const positions = (found: Round | 'gap' | 'over') =>
  typeof found === 'string' ? found : found.events.map(({ position }) => position);

describe('a follower', () => {
  it('is handed what concerns its organization, in order, and nothing of others', async () => {
    const follower = makeFollower(acme, nobody);
    follower.hand(round(10, 20, event(1, 11), event(2, 12, { organizationId: other })));
    follower.hand(round(20, 30, event(3, 21, { organizationId: null })));
    follower.hand(round(30, 40, event(4, 31)));
    expect(positions(await follower.next('10'))).toEqual(['1']);
    expect(positions(await follower.next('20'))).toEqual(['4']);
  });

  it('waits when it was handed nothing new, and is not handed again what it has read', async () => {
    const follower = makeFollower('anybody', nobody);
    follower.hand(round(10, 20, event(1, 11)));
    const next = follower.next('20');
    follower.hand(round(20, 30, event(2, 21)));
    expect(positions(await next)).toEqual(['2']);
  });

  it('has a gap when it has not read as far as where it began to be handed things', async () => {
    const late = makeFollower(acme, nobody);
    late.hand(round(20, 30, event(1, 21)));
    expect(await late.next('19')).toBe('gap');
    expect(positions(await late.next('25'))).toEqual(['1']);
    const first = makeFollower(acme, nobody);
    first.pass(20n);
    expect(await first.next('19')).toBe('gap');
  });

  it('has a gap when more waits for it than is kept', async () => {
    const slow = makeFollower(acme, nobody);
    for (let n = 0; n <= 500; n += 1) slow.hand(round(10 + n, 11 + n, event(n, 10 + n)));
    expect(await slow.next('10')).toBe('gap');
    const next = slow.next('511');
    slow.hand(round(511, 512, event(501, 511)));
    expect(positions(await next)).toEqual(['501']);
  });

  it('is over for whoever waits when it is closed', async () => {
    let left = 0;
    const follower = makeFollower(acme, () => {
      left += 1;
    });
    const next = follower.next('10');
    follower.close();
    expect(await next).toBe('over');
    expect(left).toBe(1);
  });
});

describe('a round that is read off', () => {
  const viewer = {
    ...systemViewer('somebody', { correlationId: 'c' }),
    reach: 'organization',
    projectId: 'one',
  } as const;
  const all = { about: undefined, types: [], money: false };
  const at = { from: '15', to: '15', position: '0' };

  it('says what is new in the project of the viewer, with marks that any process can go on from', () => {
    const found = readOff(
      round(10, 20, event(7, 14), event(8, 15), event(9, 16, { projectId: 'two' }), event(10, 17, { projectId: null })),
      ...([viewer, at, all] as const),
    );
    expect(found.events).toEqual([
      { mark: { from: '15', to: '20', position: '8' }, type: 'tenancy.project.changed', envelope: '{"n":8}' },
    ]);
    expect(found.mark).toEqual({ from: '20', to: '20', position: '0' });
  });

  it('says everything to operators, and nothing to whoever has no project', () => {
    const everything = round(10, 20, event(1, 15), event(2, 16, { projectId: null, organizationId: null }));
    const operator = systemViewer('operator', { correlationId: 'c' });
    expect(readOff(everything, operator, at, all).events).toHaveLength(2);
    expect(readOff(everything, { ...viewer, projectId: undefined }, at, all).events).toEqual([]);
  });

  it('says what happens to the money of the organization to those who may see its account, and to no others', () => {
    const told = round(
      ...([10, 20, event(1, 15, { projectId: null, type: 'billing.balance_depleted' })] as const),
      event(2, 16, { projectId: null, type: 'payments.balance_credited' }),
      event(3, 17, { projectId: null, type: 'payments.reconcile_failed' }),
      event(4, 18, { projectId: null, type: 'tenancy.member.joined' }),
      event(5, 19, { projectId: 'two', type: 'billing.balance_depleted' }),
    );
    const read = (money: boolean) =>
      readOff(told, viewer, at, { ...all, money }).events.map(({ mark }) => mark.position);
    expect(read(true)).toEqual(['1', '2']);
    expect(read(false)).toEqual([]);
  });

  it('can be narrowed to an object and to types', () => {
    const mixed = round(
      ...([10, 20, event(1, 15, { key: 'a' }), event(2, 16, { type: 'tenancy.projects' })] as const),
      event(3, 17, { type: 'tenancy.project' }),
    );
    const read = (wanted: { about?: string; types?: string[] }) =>
      readOff(mixed, viewer, at, { ...all, about: wanted.about, types: wanted.types ?? [] }).events.map(
        (e) => e.mark.position,
      );
    expect(read({ about: 'a' })).toEqual(['1']);
    expect(read({ types: ['tenancy.project'] })).toEqual(['1', '3']);
    expect(read({ types: ['billing', 'tenancy.projects'] })).toEqual(['2']);
  });
});
