import { type TSchema, Type } from 'typebox';
import { Name } from './ids.ts';

/**
 * Texts that events may carry. Events are kept, sent to others and never called back, so they name people by id alone.
 * Every text in an event is one of these, or has a format, a pattern or a list of values; `personalIn` finds the others.
 */

/** An id, a state, a code, a version: one word that programs choose. What a person typed does not fit. */
export const Word = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.:/+=-]*$', maxLength: 300, 'x-text': 'a word' });
/** A sentence that a program composed of facts about machines. Never what a person typed. */
export const Sentence = Type.String({ 'x-text': 'composed by a program' });
/** The name of a host, an organization, a project: of a thing, not of a person. */
export const ThingName = Type.String({ ...Name, 'x-text': 'the name of a thing' });

/** Names of fields that say who or where a person is. An event or an audit row has none of them. */
export type PersonalField =
  | 'email'
  | 'mail'
  | 'display_name'
  | 'full_name'
  | 'first_name'
  | 'last_name'
  | 'username'
  | 'login'
  | 'phone'
  | 'address'
  | 'ip'
  | 'ip_address'
  | 'user_agent'
  | 'device_label';
const personal =
  /(?:^|_)(?:e?mail|display_name|full_name|first_name|last_name|username|login|phone|address|ip|user_agent|device_label)$/;

type Node = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly additionalProperties?: boolean | Node;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly 'x-text'?: string;
};
/** A pattern that lets anything with a blank or an "@" through bounds nothing. */
const isBound = (pattern: string | undefined): boolean =>
  pattern !== undefined && !['ada@example.test', 'Ada Lovelace'].some((text) => new RegExp(pattern).test(text));

/** Each place of a schema that could hold personal data, with the reason. */
export function personalIn(schema: TSchema, path = ''): string[] {
  const node = schema as Node;
  const below = (child: Node, at: string) => personalIn(child as TSchema, at);
  if (node.type === 'string') {
    const isFree =
      node.enum === undefined &&
      node.const === undefined &&
      node['x-text'] === undefined &&
      !['uuid', 'date-time'].includes(node.format ?? '') &&
      !isBound(node.pattern);
    return isFree ? [`${path} is free text: use Word, Sentence, ThingName or an id`] : [];
  }
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([key, child]) => [
      ...(personal.test(key) ? [`${path}.${key} is named as personal data: carry the id of the person`] : []),
      ...below(child, `${path}.${key}`),
    ]),
    ...(node.items ? below(node.items, `${path}[]`) : []),
    ...(node.anyOf ?? []).flatMap((child) => below(child, path)),
    ...Object.values(node.patternProperties ?? {}).flatMap((child) => below(child, `${path}.*`)),
    ...(typeof node.additionalProperties === 'object' ? below(node.additionalProperties, `${path}.*`) : []),
  ];
}
