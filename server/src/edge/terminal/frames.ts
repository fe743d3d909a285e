import {
  TerminalClientFrame,
  TerminalHomeFrame,
  TerminalNodeFrame,
  TerminalPeerJoin,
  type terminalPaths,
} from '@gpuaas/contract/terminal';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Reads one text frame; undefined when it is none of those that the contract has. */
function makeReader<S extends TSchema>(schema: S): (text: string) => Static<S> | undefined {
  const valid = Compile(schema);
  return (text) => {
    let said: unknown;
    try {
      said = JSON.parse(text);
    } catch {
      return undefined;
    }
    return valid.Check(said) ? (said as Static<S>) : undefined;
  };
}
export const readClientFrame = makeReader(TerminalClientFrame);
export const readHomeFrame = makeReader(TerminalHomeFrame);
export const readNodeFrame = makeReader(TerminalNodeFrame);
export const readPeerJoin = makeReader(TerminalPeerJoin);

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Takes the id out of a path such as `/ws/terminal/{allocation_id}`. */
export const makePath = (template: (typeof terminalPaths)[keyof typeof terminalPaths]) => {
  const pattern = new RegExp(`^${template.replace(/\{[a-z_]+\}/, `(${uuid})`)}$`);
  return {
    read: (path: string): string | undefined => pattern.exec(path)?.[1],
    write: (id: string): string => template.replace(/\{[a-z_]+\}/, id),
  };
};
