import { maxNameLength } from './facts.ts';

export const isTooMany = (rentals: readonly string[], most: number): boolean => rentals.length > most;
export const isLong = (name: string): boolean => name.length > maxNameLength;
