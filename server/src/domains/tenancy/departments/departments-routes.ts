import { departmentChanged, departmentCreate, departmentList, departmentUpdate } from '@gpuaas/contract';
import { type Database, handlers } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import { advanceDepartment } from '../machine.ts';
import {
  findDepartment,
  insertDepartment,
  listDepartments,
  renameDepartment,
  showDepartment,
  takeDepartment,
} from './departments-store.ts';

const on = handlers<{ readonly db: Database; readonly ids: Ids; readonly region: string }>();
const absent = () => new Fault('department_not_found', 'There is no such object.');

export const list = on(departmentList, ({ db, region }, who, { params, query }) =>
  readPage({
    name: 'departments',
    query,
    read: (after, limit) => db.read(who, (tx) => listDepartments(tx, params.organization_id, after, limit)),
    keyOf: (row) => row.id,
    show: (row) => showDepartment(region, row),
  }),
);

export const create = on(departmentCreate, ({ db, ids, region }, act, { body }) =>
  db.write(act, async (tx) => {
    const id = ids.next();
    const row = await insertDepartment(tx, { id, organizationId: act.organizationId, ...body });
    if (!row) {
      return tx.abandon(
        new Fault('department_slug_taken', `The slug ${body.slug} is taken in this organization: choose another one.`),
      );
    }
    return tx.commit(showDepartment(region, row), {
      target: { type: 'department', id },
      change: { name: body.name, slug: body.slug },
      events: [departmentChanged.of(id, { department_id: id, name: row.name, state: row.state, version: 1 })],
    });
  }),
);

export const update = on(departmentUpdate, ({ db, region }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const { department_id: id, organization_id: organizationId } = params;
    const before = await takeDepartment(tx, id, organizationId);
    if (!before) return tx.abandon(absent());
    if (before.is_default && body.state === 'disabled') {
      return tx.abandon(
        new Fault(
          'department_is_default',
          'Projects go to the default department when nothing else is said: it stays.',
        ),
      );
    }
    if (body.version !== undefined && body.version !== Number(before.version)) {
      return tx.abandon(
        new Fault('version_conflict', 'It was changed in the meantime: read it again.', {
          version: Number(before.version),
        }),
      );
    }
    if (body.state !== undefined && body.state !== before.state) {
      const moved = await advanceDepartment(tx, id, body.state === 'disabled' ? 'disable' : 'enable', body.version);
      if (moved instanceof Fault) return tx.abandon(new Fault('version_conflict', moved.message, moved.details));
    }
    if (body.name !== undefined && body.name !== before.name) await renameDepartment(tx, id, body.name);
    const row = await findDepartment(tx, id, organizationId);
    if (!row) return tx.abandon(absent());
    const department = showDepartment(region, row);
    const { name, state, version } = department;
    return tx.commit(department, {
      target: { type: 'department', id },
      change: { ...(body.name && { name }), ...(body.state && { state: [before.state, state] }) },
      events: [departmentChanged.of(id, { department_id: id, name, state, version })],
    });
  }),
);
