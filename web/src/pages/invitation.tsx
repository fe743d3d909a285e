import { GpuaasError } from '@gpuaas/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../client/api.ts';
import { useAct } from '../client/ask.ts';
import { letGo } from '../client/let-go.ts';
import { useSession } from '../client/session.tsx';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { readFragment } from '../words/access.ts';

const shape = /^gpuaas_invite_[A-Za-z0-9_-]{8,180}$/;

/**
 * The target of an invitation link. The token is after the #, so only this page sees it. Nothing happens before the
 * person accepts; a person who is not signed in signs in first.
 */
export function InvitationPage() {
  const session = useSession();
  const client = useQueryClient();
  const token = useTokenOfLink();
  const accept = useAct('invitation accept', (_: string, options) => api.members.invitationAccept({ token }, options), {
    done: () => {
      history.replaceState(history.state, '', location.pathname);
      letGo(client.invalidateQueries());
    },
  });
  const code = accept.error instanceof GpuaasError ? accept.error.code : undefined;
  const joined = session.me.organizations.find(({ id }) => id === accept.data?.organization_id);
  return (
    <Page title="Invitation">
      <div className="panel">
        {accept.data ? (
          <Empty icon="check" title={`Welcome${joined ? ` to ${joined.name}` : ''}`}>
            <p>You are a member now, as {accept.data.role}.</p>
            <Enter organizationId={accept.data.organization_id} />
          </Empty>
        ) : code === 'already_member' ? (
          <Empty icon="team" title="You are already a member">
            <p>You are a member of this organization. Nothing was changed.</p>
            <ButtonLink to="/">Go home</ButtonLink>
          </Empty>
        ) : code === 'invitation_invalid' ? (
          <Empty icon="mail" title="This invitation cannot be accepted">
            <p>It has expired, was revoked, or was used before. Ask for a new one.</p>
            <ButtonLink to="/">Go home</ButtonLink>
          </Empty>
        ) : shape.test(token) ? (
          <Empty icon="mail" title="You are invited to an organization">
            <p>
              You are signed in as{' '}
              <bdi className="font-semibold text-ink">{session.me.display_name ?? session.me.posix.username}</bdi>.
              Accept, and this account becomes a member.
            </p>
            {accept.error && <Problem error={accept.error} />}
            <div className="flex flex-wrap justify-center gap-2">
              <Button look="primary" icon="check" busy={accept.isPending} onClick={() => accept.mutate(token)}>
                Accept the invitation
              </Button>
              <form method="post" action="/auth/logout">
                <Button type="submit">Use another account</Button>
              </form>
            </div>
          </Empty>
        ) : (
          <Empty icon="mail" title="The link is not complete">
            <p>Open it from the email again, or copy the whole link, including the part after #.</p>
            <ButtonLink to="/">Go home</ButtonLink>
          </Empty>
        )}
      </div>
    </Page>
  );
}

/** The token of the link that is open: another link in the same tab changes only the part after #. */
function useTokenOfLink(): string {
  const [token, setToken] = useState(() => readFragment(location.hash));
  useEffect(() => {
    const read = () => setToken(readFragment(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return token;
}

/** The way into a project of the organization, once the list of projects contains it. */
function Enter({ organizationId }: { organizationId: string }) {
  const session = useSession();
  const navigate = useNavigate();
  const project = session.projects.find((each) => each.organization_id === organizationId);
  return (
    <Button
      look="primary"
      onClick={() => {
        if (project) session.choose(project.id);
        letGo(navigate({ to: '/' }));
      }}
    >
      {project ? `Go to ${project.name}` : 'Go home'}
    </Button>
  );
}
