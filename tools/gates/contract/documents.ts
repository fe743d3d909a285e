import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../emit/json.ts';

/** Where the two sides of a comparison lie. */
export interface Sides {
  readonly base: string;
  readonly next: string;
}

export const sidesOf = (root: string, name: string): Sides => ({
  base: `${root}api/baseline/${name}`,
  next: `${root}api/${name}`,
});

export function readDocument(path: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new Error(`${path} cannot be read, so there is nothing to compare with.`);
  }
  const document: unknown = JSON.parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error(`${path} holds no document.`);
  }
  return document as JsonObject;
}

export const memberOf = (value: unknown, name: string): JsonObject => {
  const member = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof member === 'object' && member !== null ? (member as JsonObject) : {};
};

/** A baseline that promises nothing would let everything pass, so an empty one is taken for a broken one. */
export function promisedIn(document: JsonObject, member: string, path: string): string[] {
  const names = Object.keys(memberOf(document, member));
  if (names.length === 0) throw new Error(`${path} has no ${member}; a baseline that promises nothing cannot be kept.`);
  return names;
}
