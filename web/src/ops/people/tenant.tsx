import type { AdminOrganizationDetail } from '@gpuaas/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { api, isAbsent } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { usePeople } from '../../client/people.ts';
import { useMay } from '../../client/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Chip, StateChip } from '../../parts/chip.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { spellQuota } from '../../words/quota.ts';
import { counted } from '../../words/sizes.ts';
import { tenantName } from '../../words/tenants.ts';
import { PersonLink } from './person-link.tsx';

/** One tenant: allocations, members and policies. */
export function TenantPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const tenant = useAsk(
    ['tenants', id, 'one'],
    (options) => api.adminOrganizations.get({ organization_id: id }, options),
    { everyMs: 60_000 },
  );
  if (tenant.error && !tenant.data) {
    return (
      <Page title="Tenant">
        {isAbsent(tenant.error) ? (
          <Empty icon="team" title="No such tenant">
            <ButtonLink to="/ops/tenants">All tenants</ButtonLink>
          </Empty>
        ) : (
          <Problem error={tenant.error} again={() => void tenant.refetch()} />
        )}
      </Page>
    );
  }
  if (!tenant.data) return <Loading rows={8} label="Loading the tenant" />;
  return <Detail tenant={tenant.data} />;
}

const listed = 'flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-edge py-2 last:border-0';

function Detail({ tenant }: { tenant: AdminOrganizationDetail }) {
  const may = useMay();
  const nameOf = usePeople(tenant.member_list.map(({ user_id }) => user_id));
  return (
    <Page
      title={tenantName(tenant)}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <code className="font-mono text-[13px]">{tenant.slug}</code>
          <Chip tone="calm">{tenant.type}</Chip>
          <span>plan {tenant.plan}</span>
        </span>
      }
      actions={
        <>
          {may('admin_allocation_list') && (
            <ButtonLink to="/ops/allocations" search={{ organization: tenant.id }}>
              Allocations
            </ButtonLink>
          )}
          {may('admin_audit_list') && (
            <ButtonLink to="/ops/audit" search={{ organization: tenant.id }}>
              Audit
            </ButtonLink>
          )}
        </>
      }
      shown={{ operation: 'admin_organization_get', input: { organization_id: tenant.id } }}
    >
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Panel title="Summary">
          <Facts
            rows={[
              ['Id', <Copy key="id" text={tenant.id} label="the id" />],
              ['Since', <Ago key="since" at={tenant.created_at} />],
              ['Currency', tenant.currency],
              ['Allocations', `${tenant.allocations} current, with ${counted(tenant.gpus, 'GPU')}`],
              ['GPU quota', spellQuota(tenant.gpu_quota)],
            ]}
          />
        </Panel>
        <Overrides policies={tenant.policies} />
        <Projects projects={tenant.project_list} count={tenant.projects} />
        <Panel title="Members" aside={<span className="text-sm text-dim">{tenant.members}</span>}>
          <ul>
            {tenant.member_list.map((member) => (
              <li key={member.user_id} className={listed}>
                <span className="min-w-0">
                  <PersonLink id={member.user_id} name={nameOf(member.user_id)} />
                  <span className="block text-sm text-dim">{member.role}</span>
                </span>
                <span className="text-sm text-dim">
                  seen <Ago at={member.last_seen_at} />
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </Page>
  );
}

function Overrides({ policies }: { policies: AdminOrganizationDetail['policies'] }) {
  const may = useMay();
  return (
    <Panel title="Policy overrides" aside={<span className="text-sm text-dim">{policies.length}</span>}>
      {policies.length === 0 ? (
        <p className="text-dim">None. The platform defaults apply.</p>
      ) : (
        <ul>
          {policies.map((each) => (
            <li key={each.id} className={listed}>
              <span className="min-w-0">
                {may('policy_setting_list') ? (
                  <Link
                    to="/ops/policies"
                    search={{ q: each.key }}
                    className="font-mono text-[13px] font-semibold text-accent underline-offset-2 hover:underline"
                  >
                    {each.key}
                  </Link>
                ) : (
                  <code className="font-mono text-[13px] font-semibold">{each.key}</code>
                )}
                <span className="block text-sm text-dim">{each.reason}</span>
              </span>
              <span className="flex items-center gap-2">
                <span className="tabular font-medium">{String(each.value)}</span>
                <Chip tone="busy">{each.level}</Chip>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Projects({ projects, count }: { projects: AdminOrganizationDetail['project_list']; count: number }) {
  return (
    <Panel title="Projects" aside={<span className="text-sm text-dim">{count}</span>}>
      {projects.length === 0 ? (
        <p className="text-dim">No projects.</p>
      ) : (
        <ul>
          {projects.map((project) => (
            <li key={project.id} className={listed}>
              <span className="min-w-0">
                <bdi className="line-clamp-2 font-medium">{project.name}</bdi>
                <span className="font-mono text-xs text-dim">{project.id}</span>
              </span>
              <span className="flex items-center gap-2">
                {project.allocations > 0 && (
                  <span className="text-sm text-dim">{counted(project.allocations, 'allocation')}</span>
                )}
                <StateChip state={project.state} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
