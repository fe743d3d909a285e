import { sql } from '../../../kernel/act.ts';

export const actLook = sql('act-look', 'select act_look($1, $2, $3, $4)');
export const actOpen = sql('act-open', 'select act_open($1, $2, $3, $4, $5, $6, $7, $8) as stored');
export const actCommit = sql(
  'act-commit',
  `select act_commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
     $22, $23, $24, $25, $26, $27, $28)`,
);
export const leaseHold = sql('lease-hold', 'select lease_hold($1, $2)');
