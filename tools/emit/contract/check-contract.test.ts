import { describe, expect, it } from 'vitest';
import { contractOf } from '../contract.ts';
import { birdGet, birdSang, egg, seasonGet, smallContract } from '../testing.ts';
import { checkContract } from './check-contract.ts';

const machine = (states: Record<string, Record<string, string>>, terminal: string[]) =>
  smallContract({ machines: [{ name: 'egg', initial: 'whole', terminal, states }] });

describe('a contract that contradicts itself emits nothing', () => {
  it('and the product’s does not', () => {
    expect(() => checkContract(contractOf('0.0.0'))).not.toThrow();
    expect(() => checkContract(smallContract())).not.toThrow();
  });

  it.each([
    [
      'two routes of one id',
      smallContract({ routes: [seasonGet, { ...birdGet, id: 'season_get' }] }),
      'route id "season_get"',
    ],
    [
      'two routes of one path',
      smallContract({ routes: [seasonGet, { ...seasonGet, id: 'x_y' }] }),
      'GET /api/v1/season',
    ],
    ['one event twice', smallContract({ events: [birdSang(), birdSang()] }), 'event "apps.bird.sang 1.0"'],
    ['one machine twice', smallContract({ machines: [egg, egg] }), 'machine "egg"'],
    [
      'a path value without a schema',
      smallContract({ routes: [{ ...seasonGet, path: '/a/{b}' }] }),
      'names {b}, params do not',
    ],
    [
      'a schema without a path value',
      smallContract({ routes: [{ ...birdGet, path: '/a' }] }),
      '"bird_id", the path does not',
    ],
    ['a path in another dialect', smallContract({ routes: [{ ...seasonGet, path: '/a/:b' }] }), 'not :name'],
    [
      'an owner that the path does not name',
      smallContract({ routes: [{ ...seasonGet, tenancy: { kind: 'path', param: 'cage_id' } }] }),
      'tenancy reads {cage_id}',
    ],
    ['an event that no stream keeps', smallContract({ streams: {} }), 'no stream keeps this family'],
    ['a transition to nowhere', machine({ whole: { fall: 'gone' } }, []), '"gone" is no declared state'],
    ['a state that nothing leads to', machine({ whole: {}, lost: {} }, ['whole', 'lost']), 'nothing leads to "lost"'],
    ['an end with a way out', machine({ whole: { fall: 'whole' } }, ['whole']), 'terminal and yet has a way out'],
    ['a dead end that is no end', machine({ whole: {} }, []), 'no way out and is not called terminal'],
  ])('%s', (_, contract, complaint) => {
    expect(() => checkContract(contract)).toThrow(complaint);
  });
});
