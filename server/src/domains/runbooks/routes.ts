import { runbookGet, runbookList } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { findRunbook, searchRunbooks } from './find.ts';

const on = handlers<object>();

const list = on(runbookList, async (_, __, { query }) => ({
  data: searchRunbooks(query).map(({ text: _text, ...runbook }) => runbook),
}));

const get = on(
  runbookGet,
  async (_, __, { params }) =>
    findRunbook(params.runbook_id) ??
    new Fault(
      'runbook_not_found',
      `No runbook is called ${JSON.stringify(params.runbook_id)}, and no such signal leads to one.`,
    ),
);

/** The pages of this release, for operators. */
export const runbookRoutes = (): Mounted[] => [list({}), get({})];
