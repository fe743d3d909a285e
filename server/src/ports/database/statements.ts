import { sql } from '../../kernel/act.ts';

export const beginWrite = sql('begin-write', 'begin');
export const beginRead = sql('begin-read', 'begin read only');
export const commit = sql('commit', 'commit');
export const rollback = sql('rollback', 'rollback');

export const actView = sql('act-view', 'select act_view($1, $2, $3, $4, $5)');
export const actBegin = sql('act-begin', 'select act_begin($1, $2, $3, $4, $5, $6, $7, $8, $9)');
export const actCommit = sql(
  'act-commit',
  `select act_commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
     $22, $23, $24, $25, $26)`,
);
