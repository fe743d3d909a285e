/**
 * Mistakes that must not compile. Each case is one that a person could make in good faith. The compiler must refuse it,
 * and an unused expectation is an error itself, so a type that becomes lax fails the build. Nothing here runs or is
 * imported; the number of cases only grows.
 */
import {
  defineEvent,
  defineMachine,
  definePolicy,
  defineRoute,
  type From,
  type Project,
  projectCreate,
  projectCreated,
  projectGet,
  projectMachine,
  type StatesOf,
} from '@gpuaas/contract';
import { Type } from 'typebox';
import { type Act, type Commit, type Database, handlers, type Viewer, type WriteTx, type Written } from './act.ts';
import { Fault } from './fault.ts';
import { processesOver } from './process/process.ts';
import { defineSaga } from './saga.ts';

const read = {
  id: 'thing_get',
  method: 'GET',
  path: '/things',
  tag: 'Things',
  summary: 'All things',
  auth: { kind: 'user', scope: 'projects:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: [],
  response: Type.Null(),
} as const;
const write = { ...read, id: 'thing_make', method: 'POST', idempotency: 'key', audit: 'thing.make' } as const;
const { audit: _audit, ...unaudited } = write;
const { idempotency: _idempotency, ...unrepeatable } = write;
const { auth: _auth, ...open } = read;
const { lane: _lane, ...unlimited } = read;
const { tenancy: _tenancy, ...nobodys } = read;
const { errors: _errors, ...faultless } = read;

defineRoute(read);
defineRoute(write);
// @ts-expect-error a write route says what the audit log will call it
defineRoute(unaudited);
// @ts-expect-error a write route says how a repeated request is recognised
defineRoute(unrepeatable);
// @ts-expect-error a route says who may call it
defineRoute(open);
// @ts-expect-error a route says which budget of requests it draws on
defineRoute(unlimited);
// @ts-expect-error a route says whose data it is about
defineRoute(nobodys);
// @ts-expect-error a route says how it may refuse, even when it never does
defineRoute(faultless);
// @ts-expect-error a route that anyone may call says why
defineRoute({ ...read, auth: { kind: 'public' } });
// @ts-expect-error a route outside every tenant says why
defineRoute({ ...read, tenancy: { kind: 'none' } });
// @ts-expect-error a scope that the catalog does not know
defineRoute({ ...read, auth: { kind: 'admin', scope: 'everything:write' } });
// @ts-expect-error an error code that the catalog does not know
defineRoute({ ...read, errors: ['something_went_wrong'] });
// @ts-expect-error a write that is harmless by nature says why
defineRoute({ ...write, idempotency: 'natural' });
// @ts-expect-error an audit action is a noun and a verb
defineRoute({ ...write, audit: 'made' });

const on = handlers<{ readonly db: Database }>();
declare const db: Database;
declare const act: Act;
declare const viewer: Viewer;
declare const answer: Project;
const receipt = { target: { type: 'project', id: '1' }, events: 'none' } as const;
const touch = async (tx: WriteTx) => tx.run({ name: 'touch', text: 'select 1' });

const gone = new Fault('project_not_found', 'gone');
// @ts-expect-error the route does not declare this refusal
on(projectCreate, async () => gone);
// @ts-expect-error a write may not leave with a refusal that the route does not declare
on(projectCreate, async (parts, who) => parts.db.write(who, async (tx) => tx.abandon(gone)));
// @ts-expect-error a write handler that never wrote has nothing to answer with
on(projectCreate, async () => answer);
// @ts-expect-error a read handler holds no act, so it cannot write
on(projectGet, async (parts, who) => parts.db.write(who, async (tx) => tx.commit(answer, receipt)));
// @ts-expect-error a write ends in a commit or is abandoned
export const unfinished = () => db.write(act, touch);
// @ts-expect-error looking is not acting: a viewer cannot write
export const looking = () => db.write(viewer, async (tx) => tx.commit(1, receipt));
// @ts-expect-error a commit says its events, even when there are none
export const silent = () => db.write(act, async (tx) => tx.commit(1, { target: receipt.target }));
// @ts-expect-error a commit says what was changed
export const aimless = () => db.write(act, async (tx) => tx.commit(1, { events: 'none' }));
// @ts-expect-error an event comes from the catalog, through `of`
export const rogue = () => db.write(act, async (tx) => tx.commit(1, { ...receipt, events: [{ type: 'no.such' }] }));
// @ts-expect-error a read transaction cannot run a statement
export const sneaky = () => db.read(viewer, async (tx) => tx.run({ name: 'sneak', text: 'delete from projects' }));
// @ts-expect-error a statement has a name and a text; a bare string is glued together too easily
export const nameless = () => db.read(viewer, async (tx) => tx.rows('select 1'));
// @ts-expect-error an act cannot be written down by hand
export const forgedAct: Act = { ...viewer, id: '1', action: 'thing.make' };
// @ts-expect-error a commit cannot be written down by hand
export const forgedCommit: Commit<number> = { value: 1 };
// @ts-expect-error what a write answers cannot be written down by hand
export const forgedAnswer: Written<number> = { value: 1 };
// @ts-expect-error a fault carries a code of the catalog
export const vague = new Fault('oops', 'it broke');

// @ts-expect-error a payload that its event does not describe
projectCreated.of('1', { project_id: '1' });
// @ts-expect-error an event without consumers says why
defineEvent({ type: 'a.b', version: '1.0', summary: '', producer: 'api', payload: Type.Object({}) });
const heard = {
  type: 'a.b',
  version: '1.0',
  summary: '',
  producer: 'api',
  consumers: { none: 'it is an example' },
} as const;
defineEvent({ ...heard, payload: Type.Object({ user_id: Type.String() }) });
// @ts-expect-error an event names people by id, never by what they are called or where they are
defineEvent({ ...heard, payload: Type.Object({ user_id: Type.String(), email: Type.String() }) });
// @ts-expect-error a policy of whole numbers has bounds
definePolicy({ key: 'a.b', type: 'integer', default: 1, description: '', owner: 'edge' });

// @ts-expect-error every step says how it is undone
defineSaga<object>('x', 1).step('a', { do: async () => 1 });
// @ts-expect-error nothing to undo is a sentence, not an omission
defineSaga<object>('x', 1).step('a', { do: async () => 1, undo: undefined });
// @ts-expect-error a step cannot see the outcome of a later one
defineSaga<object>('x', 1).step('a', { do: async ({ done }) => done.b, undo: { none: 'it only looks' } });
// @ts-expect-error a wait says how long
defineSaga<object>('x', 1).wait('a', { ask: async () => {}, answer: Type.Null(), undo: { none: 'it only asks' } });
const once = defineSaga<object>('x', 1).step('a', { do: async () => 1, undo: { none: 'it only counts' } });
// @ts-expect-error two steps of one saga have two names
once.step('a', { do: async () => 1, undo: { none: 'it only counts' } });
// @ts-expect-error a step knows the types of the steps before it
once.step('b', { do: async ({ done }) => done.a.length, undo: { none: 'it only counts' } });

// @ts-expect-error no such transition
projectMachine.may('explode', 'active');
// @ts-expect-error no such state
projectMachine.may('archive', 'frozen');
// @ts-expect-error a deleted project cannot be archived
export const notFrom: From<StatesOf<typeof projectMachine>, 'archive'> = 'deleted';
// @ts-expect-error a transition leads to a declared state
defineMachine({ name: 'x', initial: 'a', terminal: [], states: { a: { go: 'nowhere' } } });
// @ts-expect-error a machine begins in one of its states
defineMachine({ name: 'x', initial: 'z', terminal: [], states: { a: { go: 'a' } } });
// @ts-expect-error a machine ends in one of its states
defineMachine({ name: 'x', initial: 'a', terminal: ['z'], states: { a: { go: 'a' } } });

interface Ports {
  readonly database: Database;
  readonly mail: { send(letter: string): Promise<void> };
}
const described = { name: 'thing-worker', summary: 'Works on things.', config: Type.Object({}) } as const;
// @ts-expect-error a process cannot use a port that it did not ask for
processesOver<Ports>()({ ...described, needs: ['database'], start: async ({ mail }) => mail.send('hello') });
// @ts-expect-error a process cannot ask for a port that does not exist
processesOver<Ports>()({ ...described, needs: ['carrier-pigeons'], start: async () => {} });
