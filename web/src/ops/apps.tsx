import type { AppVersion } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useList } from '../client/ask.ts';
import { useMay } from '../client/session.tsx';
import { Button } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { plainWord } from '../words/sizes.ts';

const trusts = choices.admin_app_version_list.trust_state;
type Trust = (typeof trusts)[number];
type Effect = Parameters<typeof api.adminApps.versionRevoke>[0]['effect'];
const effects: readonly (readonly [Effect, string])[] = [
  ['stop', 'End what runs'],
  ['let_run', 'Let it run'],
];
const longestReason = 500;

/** The trust board: versions of the apps of every publisher. */
export function TrustBoardPage() {
  const { trust: asked } = useSearch({ strict: false }) as { trust?: string };
  const trust = trusts.find((each) => each === asked);
  const navigate = useNavigate();
  const may = useMay();
  const list = useList(['app-versions', trust], (from, options) =>
    api.adminApps.versionList({ ...from, ...(trust && { trust_state: trust }) }, options),
  );
  const [going, setGoing] = useState<AppVersion>();
  return (
    <Page
      title="Apps"
      lead="Versions of the apps of every publisher, newest first. Trust that is revoked does not come back."
      actions={
        <label className="flex items-center gap-2 text-sm text-dim">
          Trust
          <select
            className="field w-auto"
            value={trust ?? ''}
            onChange={(event) =>
              void navigate({
                to: '/ops/apps',
                search: event.target.value ? { trust: event.target.value as Trust } : {},
              })
            }
          >
            <option value="">any</option>
            {trusts.map((each) => (
              <option key={each} value={each}>
                {plainWord(each)}
              </option>
            ))}
          </select>
        </label>
      }
      shown={{ operation: 'admin_app_version_list', input: trust ? { trust_state: trust } : {} }}
    >
      <Rows
        label="Versions of apps"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Version',
            cell: (version) => (
              <span>
                <bdi className="block font-medium">{`${version.app_reference} ${version.version}`}</bdi>
                <code className="font-mono text-[13px] break-all text-dim">{version.image_repository}</code>
              </span>
            ),
          },
          { head: 'State', cell: (version) => <StateChip state={version.lifecycle_state} /> },
          {
            head: 'Trust',
            cell: (version) => (
              <span className="grid justify-items-start gap-1">
                <StateChip state={version.trust_state} />
                {version.revocation_reason && <bdi className="text-sm text-dim">{version.revocation_reason}</bdi>}
              </span>
            ),
          },
          { head: 'Channel', cell: (version) => version.channel },
          { head: 'Published', cell: (version) => <Ago at={version.created_at} /> },
          {
            head: '',
            end: true,
            cell: (version) =>
              version.trust_state !== 'revoked' &&
              may('admin_app_version_revoke') && (
                <Button
                  look="danger"
                  aria-label={`Revoke ${version.app_reference} ${version.version}`}
                  onClick={() => setGoing(version)}
                >
                  Revoke
                </Button>
              ),
          },
        ]}
        empty={<Empty icon="box" title={trust ? `No ${plainWord(trust)} versions` : 'No apps were published yet'} />}
      />
      {going && <Revoke version={going} onClose={() => setGoing(undefined)} />}
    </Page>
  );
}

function Revoke({ version, onClose }: { version: AppVersion; onClose(): void }) {
  const [reason, setReason] = useState('');
  const [effect, setEffect] = useState<Effect>('stop');
  const revoke = useAct(
    'app version revoke',
    (input: Parameters<typeof api.adminApps.versionRevoke>[0], options) => api.adminApps.versionRevoke(input, options),
    { stale: ['app-versions'], done: onClose },
  );
  return (
    <FormDialog
      title={`Revoke ${version.app_reference} ${version.version}?`}
      lead="Nobody launches it any more, for good."
      verb="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onSubmit={() => revoke.mutate({ app_version_id: version.id, reason: reason.trim(), effect })}
    >
      <Choice
        label="Instances that run"
        value={effect}
        options={effects}
        onChoose={(chosen) => setEffect(chosen as Effect)}
      />
      <TextField
        label="Reason"
        hint="Kept in the audit log, and shown to the publisher."
        required
        maxLength={longestReason}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  );
}
