import type { EventKind } from '../event.ts';

/**
 * Who gets a notification.
 * `person`: the one whom the event names. `project`: who asked for the allocation, and everybody with a role of their own in
 * its project. `tenants_of_node`: the same for each active allocation on the node, or on its slot where
 * the event names one. `billing`: owners, admins and
 * finance of the organization. `owners`: owners and admins of it. `operators` and `finance`: people with these roles on the platform. `address`: a mail address that may belong
 * to nobody here yet.
 */
export type Audience =
  | 'person'
  | 'project'
  | 'tenants_of_node'
  | 'billing'
  | 'owners'
  | 'operators'
  | 'finance'
  | 'address';

export type NotificationArea = 'compute' | 'access' | 'security' | 'money' | 'operations';

/**
 * What a person can decide about mail. `required`: nothing, it is always sent. `on` and `off`: the default of a choice between
 * each, daily and none. `letter`: a letter of its own with a link or a token, always sent.
 */
export type MailRule = 'required' | 'on' | 'off' | 'letter';

type Value = string | boolean | null;
type Condition =
  | { readonly field: string; readonly isOneOf: readonly Value[] }
  | { readonly field: string; readonly isNoneOf: readonly Value[] };

interface Fields {
  /** What leads to it. `dlq`: any event that became a dead letter. */
  readonly event: EventKind | 'dlq';
  /** Conditions on fields of the payload, where not every event of the type leads to the kind. All of them have to be met. */
  readonly when?: Condition | readonly Condition[];
  readonly to: Audience;
  /** What the kind is called where people choose. */
  readonly title: string;
  readonly inbox: boolean;
}
/** Mail about money and security cannot be turned off: such a rule does not compile. */
export type KindSpec = Fields &
  (
    | { readonly area: 'money' | 'security'; readonly mail: 'required' | 'letter' }
    | { readonly area: 'compute' | 'access' | 'operations'; readonly mail: MailRule }
  );

export const kind = <const S extends KindSpec>(spec: S): S => spec;

/** Whether the payload of an event meets the condition of a kind. */
export function meets({ when }: KindSpec, payload: unknown): boolean {
  return [when ?? []].flat().every((condition) => {
    const value = (payload as Readonly<Record<string, unknown>>)[condition.field] as Value;
    return 'isOneOf' in condition ? condition.isOneOf.includes(value) : !condition.isNoneOf.includes(value);
  });
}

export const mayChooseMail = ({ mail }: KindSpec): boolean => mail === 'on' || mail === 'off';
