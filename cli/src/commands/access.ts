import type { CommandSpec, Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { readInput } from '../input/read-input.ts';
import { formatOf, showOne } from '../show/output.ts';
import { jsonOf } from '../show/value.ts';

/** These answers contain a secret that is shown once and stored nowhere. */

export const tokenCreate =
  (command: CommandSpec): Run =>
  async (session) => {
    const api = await session.api();
    const input = await readInput(command, 'personal_token_create', session);
    const made = await api.personalTokens.create(input as Parameters<typeof api.personalTokens.create>[0]);
    if (formatOf(session) === 'table') {
      session.around.stdout.write(`${made.token}\n`);
      session.say('Save it now: it is shown once.');
    } else {
      showOne(session, made, ['id', 'name', 'token', 'scopes', 'expires_at']);
    }
    return exitCodes.ok;
  };

export const accountKeyAdd =
  (command: CommandSpec): Run =>
  async (session) => {
    const api = await session.api();
    const input = await readInput(command, 'service_account_key_create', session);
    const made = await api.serviceAccounts.keyCreate(input as Parameters<typeof api.serviceAccounts.keyCreate>[0]);
    session.around.stdout.write(`${jsonOf(made, 2)}\n`);
    session.say('Save the private key now: it is shown once.');
    return exitCodes.ok;
  };
