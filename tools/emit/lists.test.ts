import { describe, expect, it } from 'vitest';
import { emitAsyncapi } from './contract/asyncapi.ts';
import { emitEvents, emitRoutes } from './lists.ts';
import { edgesSql, emitMachines } from './machines.ts';
import { birdSang, egg, smallContract } from './testing.ts';

describe('the lists', () => {
  it('give each route one aligned line, sorted by path', () => {
    expect(emitRoutes(smallContract())).toBe(
      [
        'METHOD  PATH                     ACCESS                 TENANCY             LANE     IDEMPOTENCY  AUDIT',
        'POST    /api/v1/birds            user projects:write    header              default  key          bird.create',
        'GET     /api/v1/birds/{bird_id}  user+sa projects:read  owner-of {bird_id}  reads    -            -',
        'GET     /api/v1/season           public                 none                reads    -            -',
        '',
      ].join('\n'),
    );
  });

  it('give each event one aligned line with who speaks and who listens', () => {
    expect(emitEvents(smallContract())).toBe(
      [
        'EVENT           VERSION  STREAM  PRODUCER      CONSUMERS',
        'apps.bird.sang  1.0      APPS    api       ->  email-worker, notification-relay',
        '',
      ].join('\n'),
    );
  });
});

describe('the pages of machines', () => {
  it('draw the machine and list its transitions', () => {
    expect([...emitMachines([egg])]).toEqual([
      [
        'egg.md',
        [
          '# egg',
          '',
          'Emitted from `contract/src/machines` by `npm run gen`. Starts as `whole`, ends as `broken` or `hatched`.',
          '',
          '```mermaid',
          'stateDiagram-v2',
          '  [*] --> whole',
          '  whole --> broken: fall',
          '  whole --> hatched: hatch',
          '  whole --> broken: peck',
          '  broken --> [*]',
          '  hatched --> [*]',
          '```',
          '',
          '| from | transition | to |',
          '| --- | --- | --- |',
          '| `whole` | `fall` | `broken` |',
          '| `whole` | `hatch` | `hatched` |',
          '| `whole` | `peck` | `broken` |',
          '',
        ].join('\n'),
      ],
    ]);
  });
});

describe('the edges for the database', () => {
  it('are birth and each pair of states once, sorted', () => {
    expect(edgesSql([egg])).toBe(
      [
        'insert into machine_edges (machine, from_state, to_state) values',
        "  ('egg', '', 'whole'),",
        "  ('egg', 'whole', 'broken'),",
        "  ('egg', 'whole', 'hatched');",
        '',
      ].join('\n'),
    );
  });

  it('refuse a name that could end the string it stands in', () => {
    expect(() => edgesSql([{ name: "e'gg", initial: 'a', terminal: ['a'], states: { a: {} } }])).toThrow(
      'letters, digits',
    );
  });
});

describe('the AsyncAPI document', () => {
  const emit = (contract = smallContract()) =>
    JSON.parse(emitAsyncapi(contract)) as Record<string, Record<string, unknown>>;

  it('has a message in its envelope, and an operation for each process that speaks or listens', () => {
    const document = emit();
    expect(document['channels']).toEqual({
      'apps.bird.sang': {
        address: 'apps.bird.sang',
        servers: [{ $ref: '#/servers/nats' }],
        messages: { 'apps.bird.sang.v1.0': { $ref: '#/components/messages/apps.bird.sang.v1.0' } },
        'x-gpuaas-stream': 'APPS',
      },
    });
    expect(Object.keys(document['operations'] ?? {})).toEqual([
      'api.sends.apps.bird.sang.v1.0',
      'email-worker.receives.apps.bird.sang.v1.0',
      'notification-relay.receives.apps.bird.sang.v1.0',
    ]);
    expect(document['components']?.['messages']).toMatchObject({
      'apps.bird.sang.v1.0': {
        payload: {
          allOf: [
            { $ref: '#/components/schemas/Envelope' },
            {
              properties: {
                event_type: { const: 'apps.bird.sang' },
                version: { const: '1.0' },
                payload: { $ref: '#/components/schemas/AppsBirdSangV1_0' },
              },
            },
          ],
        },
      },
    });
  });

  it('keeps two versions of an event side by side in one channel', () => {
    const document = emit(smallContract({ events: [birdSang(), birdSang({}, '2.0')] }));
    expect(document['channels']?.['apps.bird.sang']).toMatchObject({
      messages: {
        'apps.bird.sang.v1.0': { $ref: '#/components/messages/apps.bird.sang.v1.0' },
        'apps.bird.sang.v2.0': { $ref: '#/components/messages/apps.bird.sang.v2.0' },
      },
    });
  });

  it('has the same text whatever the order of the declarations', () => {
    const events = [birdSang({}, '2.0'), birdSang()];
    expect(emitAsyncapi(smallContract({ events: events.toReversed() }))).toBe(emitAsyncapi(smallContract({ events })));
  });
});
