import type { AdminUserDetail } from '@gpuaas/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isAbsent } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { type PlatformRole, roleMeaning, roleName } from '../../words/ops/platform-roles.ts';

/** One person: organizations, platform roles, and whether sign-in is allowed. */
export function PersonPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const person = useAsk(['people', id, 'one'], (options) => api.adminUsers.get({ user_id: id }, options));
  if (person.error && !person.data) {
    return (
      <Page title="Person">
        {isAbsent(person.error) ? (
          <Empty icon="team" title="No such person">
            <ButtonLink to="/ops/people">All people</ButtonLink>
          </Empty>
        ) : (
          <Problem error={person.error} again={() => void person.refetch()} />
        )}
      </Page>
    );
  }
  if (!person.data) return <Loading rows={8} label="Loading the person" />;
  return <Detail person={person.data} />;
}

type Wanted =
  | { readonly kind: 'disable' | 'enable' | 'erase' | 'reset-factors' }
  | { readonly kind: 'grant' | 'revoke'; readonly role: PlatformRole };
const roles = Object.keys(roleName) as PlatformRole[];
const listed = 'flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-edge py-2 last:border-0';

function Detail({ person }: { person: AdminUserDetail }) {
  const may = useMay();
  const [wanted, setWanted] = useState<Wanted>();
  const mayGrant = may('platform_role_grant');
  const name = person.display_name ?? person.username;
  return (
    <Page
      title={name}
      lead={<StateChip state={person.state} />}
      actions={
        person.state !== 'erased' && (
          <>
            {person.state === 'active' && may('user_disable') && (
              <Button onClick={() => setWanted({ kind: 'disable' })}>Disable</Button>
            )}
            {person.state !== 'active' && may('user_enable') && (
              <Button onClick={() => setWanted({ kind: 'enable' })}>Enable</Button>
            )}
            {may('user_factors_reset') && (
              <Button onClick={() => setWanted({ kind: 'reset-factors' })}>Reset second factors</Button>
            )}
            {may('user_delete') && (
              <Button look="danger" onClick={() => setWanted({ kind: 'erase' })}>
                Erase
              </Button>
            )}
          </>
        )
      }
      shown={{ operation: 'user_get', input: { user_id: person.id } }}
    >
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Panel title="Summary">
          <Facts
            rows={[
              ['Id', <Copy key="id" text={person.id} label="the id" />],
              ['Identity provider', person.issuer],
              ['Subject', person.subject],
              ['Username on hosts', person.username],
              ['Created', <Ago key="since" at={person.created_at} />],
              ['Last seen', <Ago key="seen" at={person.last_seen_at} />],
              ['Sessions', String(person.sessions)],
              ['Personal tokens', String(person.personal_tokens)],
              ['SSH keys', String(person.ssh_keys)],
              ['Allocations', String(person.allocations)],
              ...(person.disabled_reason ? [['Disabled because', person.disabled_reason] as const] : []),
            ]}
          />
        </Panel>
        <Panel title="Platform roles">
          <ul>
            {roles.map((role) => {
              const isHeld = person.platform_roles.includes(role);
              return (
                <li key={role} className={listed}>
                  <span>
                    <span className="font-medium">{roleName[role]}</span>
                    <span className="block text-sm text-dim">{roleMeaning[role]}</span>
                  </span>
                  {mayGrant && person.state !== 'erased' ? (
                    <Button
                      look={isHeld ? 'danger' : 'plain'}
                      aria-label={`${isHeld ? 'Revoke' : 'Grant'} ${roleName[role]}`}
                      onClick={() => setWanted({ kind: isHeld ? 'revoke' : 'grant', role })}
                    >
                      {isHeld ? 'Revoke' : 'Grant'}
                    </Button>
                  ) : (
                    <span className="text-sm text-dim">{isHeld ? 'yes' : 'no'}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </Panel>
        <Panel title="Organizations" aside={<span className="text-sm text-dim">{person.organizations}</span>}>
          {person.organization_list.length === 0 ? (
            <p className="text-dim">None.</p>
          ) : (
            <ul>
              {person.organization_list.map((each) => (
                <li key={each.organization_id} className={listed}>
                  <Link
                    to="/ops/tenants/$id"
                    params={{ id: each.organization_id }}
                    className="font-medium text-accent underline-offset-2 hover:underline"
                  >
                    <bdi>{each.name}</bdi>
                  </Link>
                  <span className="text-sm text-dim">{each.role}</span>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </div>
      {wanted && <Asked person={person} name={name} wanted={wanted} onClose={() => setWanted(undefined)} />}
    </Page>
  );
}

function Asked({
  person,
  name,
  wanted,
  onClose,
}: {
  person: AdminUserDetail;
  name: string;
  wanted: Wanted;
  onClose(): void;
}) {
  const user_id = person.id;
  const change = useAct(
    `person ${wanted.kind}`,
    (reason: string, options): PromiseLike<unknown> => {
      const { adminUsers } = api;
      switch (wanted.kind) {
        case 'disable':
          return adminUsers.disable({ user_id, reason }, options);
        case 'enable':
          return adminUsers.enable({ user_id, reason }, options);
        case 'reset-factors':
          return adminUsers.factorsReset({ user_id, reason }, options);
        case 'erase':
          return adminUsers.delete({ user_id, reason }, options);
        case 'grant':
          return adminUsers.platformRoleGrant({ user_id, role: wanted.role, reason }, options);
        case 'revoke':
          return adminUsers.platformRoleRevoke({ user_id, role: wanted.role, reason }, options);
      }
    },
    { stale: ['people'], done: onClose },
  );
  const { title, verb, text } = question(wanted, name);
  return (
    <Confirm
      open
      title={title}
      verb={verb}
      danger={wanted.kind !== 'enable'}
      reason
      busy={change.isPending}
      error={change.error}
      onConfirm={(reason) => change.mutate(reason)}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  );
}

function question(wanted: Wanted, name: string): { title: string; verb: string; text: string } {
  switch (wanted.kind) {
    case 'disable':
      return {
        title: `Disable ${name}?`,
        verb: 'Disable',
        text: 'All sessions end, all personal tokens are revoked, and new sign-ins are refused. Machines keep running.',
      };
    case 'enable':
      return { title: `Enable ${name}?`, verb: 'Enable', text: 'The person can sign in again.' };
    case 'reset-factors':
      return {
        title: `Reset the second factors of ${name}?`,
        verb: 'Reset',
        text: 'For a person who lost them. All sessions end, and the password alone signs in until a new factor is set up.',
      };
    case 'erase':
      return {
        title: `Erase ${name}?`,
        verb: 'Erase',
        text: 'Names, memberships, keys, tokens and sessions are removed. This cannot be undone.',
      };
    case 'grant':
      return {
        title: `Make ${name} a ${roleName[wanted.role]}?`,
        verb: 'Grant',
        text: `This role ${roleMeaning[wanted.role]}.`,
      };
    case 'revoke':
      return {
        title: `Revoke ${roleName[wanted.role]} from ${name}?`,
        verb: 'Revoke',
        text: 'It takes effect immediately, also for open sessions.',
      };
  }
}
