import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { events } from './events/index.ts';
import { Uuid } from './ids.ts';
import { personalIn, Sentence, ThingName, Word } from './words.ts';

const fieldsOf = ({ payload }: (typeof events)[number]): string[] =>
  Object.keys('properties' in payload ? (payload.properties as object) : {});

describe('an event', () => {
  it.each(events.map((kind) => [kind.type, kind] as const))('%s names people by id alone', (_, kind) => {
    expect(personalIn(kind.payload)).toEqual([]);
  });

  it.each(events.filter((kind) => fieldsOf(kind).includes('allocation_id')).map((kind) => [kind.type, kind] as const))(
    '%s is about an allocation, so it can say that its host is simulated',
    (_, kind) => {
      expect(fieldsOf(kind)).toContain('simulated');
    },
  );

  it.each([
    ['a field for a mail address', { invited_email: Word }],
    ['a field for a name of a person', { display_name: ThingName }],
    ['a field for an address of a network', { ip_address: Word }],
    ['free text', { reason: Type.String() }],
    ['free text that may be missing', { reason: Type.Optional(Type.String()) }],
    ['free text among others', { reason: Type.Union([Type.String(), Type.Null()]) }],
    ['free text in a list', { reasons: Type.Array(Type.String()) }],
    ['free text in a table', { by_key: Type.Record(Type.String(), Type.String()) }],
    ['free text inside', { who: Type.Object({ remark: Type.String({ maxLength: 10 }) }) }],
    ['a pattern that bounds nothing', { remark: Type.String({ pattern: '\\S' }) }],
    ['a mail address', { to: Type.String({ format: 'email' }) }],
  ])('is refused with %s', (_, properties) => {
    expect(personalIn(Type.Object(properties))).toHaveLength(1);
  });

  it('may carry ids, words, sentences of programs and names of things', () => {
    const payload = { id: Uuid, state: Word, problem: Sentence, name: ThingName, kind: Type.Enum(['a', 'b']) };
    expect(personalIn(Type.Object(payload))).toEqual([]);
  });
});
