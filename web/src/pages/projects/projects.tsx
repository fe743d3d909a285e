import type { Project } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { mayIn, useMay, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip, StateChip } from '../../parts/chip.tsx';
import { Choice } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { NewOrganization, OrganizationActs } from './organization.tsx';
import { NewProject, RenameProject } from './project-dialogs.tsx';
import { stale } from './stale.ts';

type Asking =
  | 'project'
  | 'organization'
  | { readonly verb: 'rename' | 'archive' | 'delete'; readonly project: Project };

/** The projects of an organization: create, rename, archive, restore and delete. Organizations are made here too. */
export function ProjectsPage() {
  const session = useSession();
  const may = useMay();
  const { organizations } = session.me;
  const [wanted, setWanted] = useState<string>();
  const find = (id: string | undefined) => organizations.find((each) => each.id === id);
  const organization = find(wanted) ?? find(session.project?.organization_id) ?? organizations[0];
  const organization_id = organization?.id ?? '';
  const list = useList(
    ['projects', 'of', organization_id],
    (from, options) => api.projects.list({ ...from, organization_id }, options),
    { enabled: organization !== undefined },
  );
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const mayHere = (operation: Parameters<typeof may>[0]) => mayIn(session, organization_id, operation);
  return (
    <Page
      title="Projects"
      lead="GPUs, service accounts and spending belong to a project; members and the balance belong to its organization."
      actions={
        <>
          {may('organization_create') && <Button onClick={() => setAsking('organization')}>New organization</Button>}
          {organization && mayHere('project_create') && (
            <Button look="primary" icon="plus" onClick={() => setAsking('project')}>
              New project
            </Button>
          )}
        </>
      }
      {...(organization && { shown: { operation: 'project_list', input: { organization_id, limit: 50 } } })}
    >
      {organization ? (
        <>
          <div className="flex flex-wrap items-end justify-between gap-3">
            {organizations.length > 1 ? (
              <Choice
                label="Organization"
                value={organization_id}
                options={organizations.map(({ id, name, slug }) => [id, `${name} (${slug})`])}
                onChoose={setWanted}
              />
            ) : (
              <h2 className="text-lg font-semibold">
                <bdi>{organization.name}</bdi>
              </h2>
            )}
            <OrganizationActs
              key={organization_id}
              organization={organization}
              isEmpty={list.rows?.length === 0}
              may={mayHere}
            />
          </div>
          <ProjectRows list={list} may={mayHere} onAsk={setAsking} />
        </>
      ) : (
        <div className="panel">
          <Empty icon="stack" title="You are not in an organization yet">
            <p>Create one, or ask an administrator for an invitation and open the link in the email.</p>
          </Empty>
        </div>
      )}
      {asking === 'project' && <NewProject organizationId={organization_id} onClose={close} />}
      {asking === 'organization' && <NewOrganization onClose={close} onMade={setWanted} />}
      {typeof asking === 'object' && asking.verb === 'rename' && (
        <RenameProject project={asking.project} onClose={close} />
      )}
      <Endings asking={typeof asking === 'object' ? asking : undefined} onClose={close} />
    </Page>
  );
}

function ProjectRows({
  list,
  may,
  onAsk,
}: {
  list: ReturnType<typeof useList<Project>>;
  may: ReturnType<typeof useMay>;
  onAsk(next: Asking): void;
}) {
  const session = useSession();
  const restore = useAct(
    'project restore',
    ({ id: project_id, version }: Project, options) => api.projects.restore({ project_id, version }, options),
    { stale },
  );
  return (
    <>
      {restore.error && <Problem error={restore.error} />}
      <Rows
        label="Projects"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: ({ name, slug }) => (
              <span>
                <bdi className="line-clamp-2 font-medium wrap-anywhere">{name}</bdi>
                <code className="font-mono text-[13px] wrap-anywhere text-dim">{slug}</code>
              </span>
            ),
          },
          { head: 'State', cell: ({ state }) => <StateChip state={state} /> },
          { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
          {
            head: '',
            end: true,
            cell: (project) => (
              <span className="flex flex-wrap justify-end gap-2">
                {project.id === session.project?.id ? (
                  <Chip tone="calm">selected</Chip>
                ) : (
                  project.state === 'active' && (
                    <Button aria-label={`Switch to ${project.name}`} onClick={() => session.choose(project.id)}>
                      Switch to
                    </Button>
                  )
                )}
                <Acts
                  project={project}
                  may={may}
                  onAsk={onAsk}
                  onRestore={() => restore.mutate(project)}
                  busy={restore.isPending && restore.variables.id === project.id}
                />
              </span>
            ),
          },
        ]}
        empty={
          <Empty icon="stack" title="No projects yet">
            <p>{may('project_create') ? 'Create one to launch GPUs in it.' : 'An administrator can create one.'}</p>
          </Empty>
        }
      />
    </>
  );
}

function Acts({
  project,
  may,
  onAsk,
  onRestore,
  busy,
}: {
  project: Project;
  may: ReturnType<typeof useMay>;
  onAsk(next: Asking): void;
  onRestore(): void;
  busy: boolean;
}) {
  const { state, name } = project;
  return (
    <>
      {state === 'active' && may('project_update') && (
        <Button aria-label={`Rename ${name}`} onClick={() => onAsk({ verb: 'rename', project })}>
          Rename
        </Button>
      )}
      {state === 'active' && may('project_archive') && (
        <Button look="danger" aria-label={`Archive ${name}`} onClick={() => onAsk({ verb: 'archive', project })}>
          Archive
        </Button>
      )}
      {state === 'archived' && may('project_restore') && (
        <Button busy={busy} aria-label={`Restore ${name}`} onClick={onRestore}>
          Restore
        </Button>
      )}
      {state === 'archived' && may('project_remove') && (
        <Button look="danger" aria-label={`Delete ${name}`} onClick={() => onAsk({ verb: 'delete', project })}>
          Delete
        </Button>
      )}
    </>
  );
}

/** The two questions before a project is archived or deleted. */
function Endings({ asking, onClose }: { asking: Exclude<Asking, string> | undefined; onClose(): void }) {
  const common = { stale, onClose };
  return (
    <>
      <Removal
        {...common}
        it={asking?.verb === 'archive' ? asking.project : undefined}
        name="project archive"
        title={({ name }) => `Archive ${name}?`}
        verb="Archive"
        act={({ id: project_id, version }, options) => api.projects.archive({ project_id, version }, options)}
      >
        <p>Nobody can launch in it until it is restored, and the project list no longer offers it.</p>
        <p>Allocations that run in it continue and are charged. Release them first if you no longer need them.</p>
      </Removal>
      <Removal
        {...common}
        it={asking?.verb === 'delete' ? asking.project : undefined}
        name="project delete"
        title={({ name }) => `Delete ${name} for good?`}
        verb="Delete"
        act={({ id: project_id }, options) => api.projects.remove({ project_id }, options)}
      >
        <p>Its allocations are released and their disks are wiped. This cannot be undone.</p>
      </Removal>
    </>
  );
}
