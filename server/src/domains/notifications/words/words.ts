import type { NotificationKind } from '@gpuaas/contract';

/** What is known about a notification when it is put into words. */
export interface Facts {
  readonly payload: Readonly<Record<string, unknown>>;
  /** The name of the allocation that it is about; undefined when it is gone, or about something else. */
  readonly allocation: string | undefined;
  readonly organization: string | undefined;
}

/** A notification in words: one source for the list, the command line and the mail. */
export interface Message {
  readonly tone: 'good' | 'notice' | 'bad';
  /** One sentence, also the subject of the mail. */
  readonly title: string;
  /** What it means and what to do; may be empty. */
  readonly text: readonly string[];
  /** Where the console shows it, and what the link is called. */
  readonly link: { readonly path: string; readonly label: string } | undefined;
}

export type Words = Readonly<Record<NotificationKind, (facts: Facts) => Message>>;

export const textOf = (facts: Facts, field: string): string => {
  const value = facts.payload[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** `2026-11-15 12:43 UTC`, for people in any place. */
export const momentOf = (facts: Facts, field: string): string => {
  const at = new Date(textOf(facts, field));
  return Number.isNaN(at.getTime())
    ? 'an unknown time'
    : `${at.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
};

const idShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A link is made of ids alone, so no chosen name becomes part of an address. */
export const linkTo = (folder: string, id: unknown, label: string): Message['link'] =>
  typeof id === 'string' && idShape.test(id) ? { path: `${folder}/${id}`, label } : undefined;
