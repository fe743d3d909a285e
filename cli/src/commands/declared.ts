import { type CallOptions, type OperationFacts, operations, placeOf } from '@gpuaas/sdk';
import type { CommandSpec, Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { confirm } from '../input/ask.ts';
import { readInput } from '../input/read-input.ts';
import { listing, type Many } from '../listing.ts';
import { showOne } from '../show/output.ts';

/** Runs a command that is one API call, as its row in the table says. Lists are printed as rows, objects as fields. */
export const declared = (command: CommandSpec): Run => {
  const { columns = [], none = 'No results.', rows, asks, instead = {} } = command;
  return async (session) => {
    const chosen = Object.keys(instead).find((flag) => session.list(flag).length > 0);
    const operation = chosen === undefined ? command.operation : instead[chosen];
    if (operation === undefined) throw new Error(`gpuaas ${command.name} declares neither a call nor code`);
    const facts: OperationFacts = operations[operation];
    const [space, method] = placeOf(operation);
    const input = await readInput(command, operation, session);
    if (asks !== undefined)
      await confirm(
        session,
        asks.replaceAll('{}', () => session.arg(0)).replaceAll('{1}', () => session.arg(1)),
      );
    const api = await session.api();
    const options: CallOptions = facts.inProject ? { project: await session.project() } : {};
    const { limit: _most, ...given } = input;
    const call = (api as unknown as Record<string, Record<string, (...given: unknown[]) => unknown>>)[space]?.[method];
    const answer = call?.(...(facts.bare ? [options] : [given, options]));
    if (facts.paged) return listing(() => answer as Many, columns, none)(session);
    const one = (await answer) as string | Readonly<Record<string, unknown>>;
    if (typeof one === 'string') {
      session.around.stdout.write(one);
      return exitCodes.ok;
    }
    const many = one[rows ?? 'data'];
    if (Array.isArray(many)) return listing(async () => ({ data: many as object[] }), columns, none)(session);
    showOne(session, one, columns.length > 0 ? columns : Object.keys(one));
    return exitCodes.ok;
  };
};
