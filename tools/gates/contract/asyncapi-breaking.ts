import { memberOf, promisedIn, readDocument, type Sides } from './documents.ts';
import { findBreakages } from './schema-compatibility.ts';
import { closed, compatibleOrReleased, type Verdict } from './verdict.ts';

/**
 * Every event of the last release must still be published, in every version it had, with a payload that may take the
 * place of the old one. The comparison is our own: the published tool for AsyncAPI calls every change of a payload
 * unclassified, a removed member and a changed type included.
 */
export const checkAsyncapi = (sides: Sides): Promise<Verdict> =>
  closed('AsyncAPI keeps the promises of the last release', compatibleOrReleased, async () => {
    const base = readDocument(sides.base);
    const next = readDocument(sides.next);
    return promisedIn(base, 'channels', sides.base).flatMap((channel) => compareChannel(base, next, channel));
  });

type Document = ReturnType<typeof readDocument>;

function compareChannel(base: Document, next: Document, channel: string): string[] {
  const before = memberOf(memberOf(base, 'channels'), channel);
  const after = memberOf(memberOf(next, 'channels'), channel);
  if (!(channel in memberOf(next, 'channels'))) return [`${channel}: the event was removed`];
  const moved =
    before['address'] === after['address'] ? [] : [`${channel}: its address is now ${String(after['address'])}`];
  const messages = Object.keys(memberOf(before, 'messages'));
  return [...moved, ...messages.flatMap((id) => compareMessage(base, next, channel, id))];
}

function compareMessage(base: Document, next: Document, channel: string, id: string): string[] {
  const messages = memberOf(memberOf(memberOf(next, 'channels'), channel), 'messages');
  if (!(id in messages)) return [`${id}: this version is not published any more; keep it beside the new one`];
  const payloadOf = (document: Document) => ({
    document,
    schema: memberOf(memberOf(memberOf(document, 'components'), 'messages'), id)['payload'],
  });
  return findBreakages(payloadOf(base), payloadOf(next), id);
}
