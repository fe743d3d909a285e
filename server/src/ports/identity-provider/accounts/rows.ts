import type { Account } from '../port.ts';

export interface AccountRow {
  readonly id: string;
  readonly login: string;
  readonly display_name: string;
  readonly email: string | null;
  readonly password_hash: string | null;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  readonly sign_ins_ended_at: Date | null;
}

export const accountOf = (row: AccountRow): Account => ({
  id: row.id,
  login: row.login,
  displayName: row.display_name,
  email: row.email ?? undefined,
  createdAt: row.created_at,
  disabledAt: row.disabled_at ?? undefined,
  signInsEndedAt: row.sign_ins_ended_at ?? undefined,
});
