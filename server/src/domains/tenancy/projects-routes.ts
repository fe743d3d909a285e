import {
  projectArchive,
  projectChanged,
  projectCreate,
  projectCreated,
  projectGet,
  projectList,
  projectRemovalRequested,
  projectRemove,
  projectRestore,
  projectUpdate,
} from '@gpuaas/contract';
import { type Database, handlers, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { holdDepartment } from './departments/departments-store.ts';
import { advanceProject } from './machine.ts';
import { findOrganization, findProject, insertProject, listProjects, renameProject, showProject } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly region: string;
}
const on = handlers<Parts>();
const absent = () => new Fault('project_not_found', 'There is no such object.');

export const create = on(projectCreate, async ({ db, ids, region }, act, { body }) =>
  db.write(act, async (tx) => {
    const id = ids.next();
    const { organizationId } = act;
    const { name, slug, department_id: departmentId } = body;
    if (departmentId !== undefined) {
      const department = await holdDepartment(tx, departmentId, organizationId);
      if (!department) return tx.abandon(new Fault('department_not_found', 'There is no such object.'));
      if (department.state !== 'active') {
        return tx.abandon(
          new Fault('department_disabled', 'This department takes no new projects: choose another one.'),
        );
      }
    }
    const row = await insertProject(tx, { id, organizationId, departmentId, name, slug });
    if (!row) {
      return tx.abandon(
        (await findOrganization(tx, organizationId))
          ? new Fault('project_slug_taken', `The slug ${slug} is taken in this organization: choose another one.`)
          : new Fault('organization_not_found', 'There is no such object.'),
      );
    }
    return tx.commit(showProject(region, row), {
      target: { type: 'project', id },
      change: { name, slug, ...(departmentId && { department_id: departmentId }) },
      events: [projectCreated.of(id, { project_id: id, name, slug })],
    });
  }),
);

export const list = on(projectList, ({ db, region }, who, { params, query }) =>
  readPage({
    name: 'projects',
    query,
    read: (after, limit) =>
      db.read(who, (tx) =>
        listProjects(tx, params.organization_id, { after, state: query.state, within: who.projectIds, limit }),
      ),
    keyOf: (row) => row.id,
    show: (row) => showProject(region, row),
  }),
);

export const get = on(projectGet, async ({ db, region }, who, { params }) => {
  const row = await db.read(who, (tx) => findProject(tx, params.project_id));
  return row ? showProject(region, row) : absent();
});

export const update = on(projectUpdate, async ({ db, region }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const id = params.project_id;
    const row = await renameProject(tx, id, body.name, body.version);
    if (!row) {
      const current = await findProject(tx, id);
      return tx.abandon(
        current && current.state !== 'deleted'
          ? new Fault('version_conflict', 'It was changed in the meantime: read it again.', {
              version: Number(current.version),
            })
          : absent(),
      );
    }
    const project = showProject(region, row);
    return tx.commit(project, {
      target: { type: 'project', id },
      change: { name: body.name },
      events: [
        projectChanged.of(id, { project_id: id, name: project.name, state: project.state, version: project.version }),
      ],
    });
  }),
);

export const archive = on(projectArchive, ({ db, region }, act, { params, body }) =>
  db.write(act, (tx) => shelve(tx, region, params.project_id, 'archive', body.version)),
);
export const restore = on(projectRestore, ({ db, region }, act, { params, body }) =>
  db.write(act, (tx) => shelve(tx, region, params.project_id, 'restore', body.version)),
);

async function shelve(
  tx: WriteTx,
  region: string,
  id: string,
  transition: 'archive' | 'restore',
  version: number | undefined,
) {
  const moved = await advanceProject(tx, id, transition, version);
  if (moved instanceof Fault) return tx.abandon(moved);
  const row = moved && (await findProject(tx, id));
  if (!row) return tx.abandon(absent());
  const project = showProject(region, row);
  return tx.commit(project, {
    target: { type: 'project', id },
    change: { state: [moved.from, moved.to] },
    events: [
      projectChanged.of(id, { project_id: id, name: project.name, state: project.state, version: project.version }),
    ],
  });
}

export const remove = on(projectRemove, ({ db, region }, act, { params }) =>
  db.write(act, async (tx) => {
    const id = params.project_id;
    const moved = await advanceProject(tx, id, 'remove');
    if (moved instanceof Fault) return tx.abandon(new Fault('illegal_transition', moved.message, moved.details));
    const row = moved && (await findProject(tx, id));
    if (!row) return tx.abandon(absent());
    return tx.commit(showProject(region, row), {
      target: { type: 'project', id },
      change: { state: [moved.from, moved.to] },
      events: [projectRemovalRequested.of(id, { project_id: id, version: moved.version })],
    });
  }),
);
