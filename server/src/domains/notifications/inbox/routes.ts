import {
  chosenKinds,
  type KindSpec,
  mayChooseMail,
  type Notification,
  type NotificationKind,
  type NotificationPreference,
  notificationCount,
  notificationList,
  notificationPreferenceSet,
  notificationPreferencesGet,
  notificationRead,
  specOf,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { mostUnread } from '../facts.ts';
import { isSimulated, messageOf } from '../words/message.ts';
import {
  type Choice,
  countUnreadNotifications,
  findAddress,
  listAudiences,
  listChoices,
  listNotifications,
  markRead,
  type NotificationRow,
  setChoice,
} from './store.ts';

const on = handlers<{ readonly db: Database }>();

function show(row: NotificationRow): Notification {
  const { kind } = row;
  const message = messageOf(kind, {
    payload: row.payload,
    allocation: row.allocation_name ?? undefined,
    organization: row.organization_name ?? undefined,
  });
  return {
    id: row.id,
    kind,
    area: specOf(kind).area,
    tone: message.tone,
    at: row.occurred_at.toISOString(),
    read: row.read_at !== null,
    title: message.title,
    text: message.text.join(' '),
    organization_id: row.organization_id,
    project_id: row.project_id,
    link: message.link?.path ?? null,
    simulated: isSimulated(row),
    payload: row.payload,
    event_id: row.event_id,
    correlation_id: row.correlation_id,
  };
}

const list = on(notificationList, ({ db }, who, { query }) =>
  readPage({
    name: 'notifications',
    query,
    read: (before, limit) =>
      db.read(who, (tx) => listNotifications(tx, who.actorId, { before, limit, unread: query.unread === true })),
    keyOf: ({ id }) => id,
    show,
  }),
);

const count = on(notificationCount, async ({ db }, who) => ({
  unread: await db.read(who, (tx) => countUnreadNotifications(tx, who.actorId, mostUnread)),
  limit: mostUnread,
}));

const read = on(notificationRead, ({ db }, act, { body }) =>
  db.write(act, async (tx) => {
    const marked = await markRead(tx, act.actorId, body.ids);
    return tx.commit(
      { read: marked },
      { target: { type: 'user', id: act.actorId }, change: { read: marked }, events: 'none' },
    );
  }),
);

/** What applies to a person: their choice, or the default of the kind. */
export const effective = (
  kind: NotificationKind,
  spec: KindSpec,
  chosen: Choice | undefined,
): NotificationPreference => ({
  kind,
  area: spec.area,
  title: spec.title,
  inbox: chosen?.inbox ?? true,
  mail: mayChooseMail(spec) ? (chosen?.mail ?? (spec.mail === 'on' ? 'each' : 'none')) : 'each',
  mail_required: !mayChooseMail(spec),
  is_default: chosen === undefined,
});

/** Kinds for these are offered only to people who have such a role on the platform. */
const platformAudiences: readonly string[] = ['operators', 'finance'];
const preferences = on(notificationPreferencesGet, ({ db }, who) =>
  db.read(who, async (tx) => {
    const chosen = new Map((await listChoices(tx, who.actorId)).map((each) => [each.kind, each]));
    const own = await listAudiences(tx, who.actorId, platformAudiences);
    return {
      data: chosenKinds
        .filter((kind) => !platformAudiences.includes(specOf(kind).to) || own.has(specOf(kind).to))
        .map((kind) => effective(kind, specOf(kind), chosen.get(kind))),
      address: (await findAddress(tx, who.actorId)) ?? null,
    };
  }),
);

const setPreference = on(notificationPreferenceSet, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const spec = specOf(params.kind);
    if (body.mail !== undefined && body.mail !== 'each' && !mayChooseMail(spec)) {
      const why = 'Mail of this kind is about money or security and is always sent. You can still hide it in the list.';
      return tx.abandon(new Fault('notification_required', why));
    }
    const chosen = (await listChoices(tx, act.actorId)).find(({ kind }) => kind === params.kind);
    const now = effective(params.kind, spec, chosen);
    const next = { kind: params.kind, inbox: body.inbox ?? now.inbox, mail: body.mail ?? now.mail };
    await setChoice(tx, act.actorId, next);
    return tx.commit(effective(params.kind, spec, next), {
      target: { type: 'user', id: act.actorId },
      change: { kind: next.kind, inbox: next.inbox, mail: next.mail },
      events: 'none',
    });
  }),
);

export const inboxRoutes = (parts: { readonly db: Database }): Mounted[] =>
  [list, count, read, preferences, setPreference].map((bind) => bind(parts));
