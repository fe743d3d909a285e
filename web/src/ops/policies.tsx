import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { Page } from '../parts/page.tsx';
import { Rows, wholeList } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { counted } from '../words/sizes.ts';
import { spellSetting } from '../words/time.ts';
import { type Policy, PolicyDialog } from './policy-dialog.tsx';

/** The policies of the platform, with source and reason, and the overrides. */
export function PoliciesPage() {
  const search = useSearch({ strict: false }) as { q?: string };
  const navigate = useNavigate();
  const settings = useAsk(['policies'], (options) => api.adminPolicies.settingList(options));
  const wanted = (search.q ?? '').toLowerCase();
  const policies = settings.data?.definitions
    .filter(({ key, description }) => key.includes(wanted) || description.toLowerCase().includes(wanted))
    .map((definition): Policy => {
      const set = settings.data.settings.filter(({ key }) => key === definition.key);
      return {
        definition,
        global: set.find(({ level }) => level === 'global'),
        own: set.filter(({ level }) => level !== 'global'),
      };
    });
  const [changing, setChanging] = useState<Policy>();
  return (
    <Page
      title="Policies"
      lead="Limits and settings. The most specific level wins: person, project, organization, plan, platform."
      actions={
        <input
          type="search"
          aria-label="Filter policies"
          className="field w-56"
          placeholder="Filter"
          value={search.q ?? ''}
          onChange={(event) =>
            void navigate({
              to: '/ops/policies',
              replace: true,
              search: event.target.value ? { q: event.target.value } : {},
            })
          }
        />
      }
      shown={{ operation: 'policy_setting_list' }}
    >
      <Rows
        label="Policies"
        list={wholeList({ ...settings, data: policies && { data: policies } })}
        keyOf={({ definition }) => definition.key}
        columns={[
          {
            head: 'Policy',
            cell: ({ definition }) => (
              <span>
                <code className="font-mono text-[13px] font-semibold">{definition.key}</code>
                <span className="block text-sm text-dim">{definition.description}</span>
              </span>
            ),
          },
          {
            head: 'Value',
            cell: ({ definition, global }) => (
              <span className="tabular whitespace-nowrap">
                {spellSetting(global?.value ?? definition.default, definition.unit)}
              </span>
            ),
          },
          {
            head: 'From',
            cell: ({ global, own }) => (
              <span className="grid justify-items-start gap-1">
                <Chip tone={global ? (global.hard ? 'bad' : 'busy') : 'calm'}>
                  {global ? (global.hard ? 'platform, hard' : 'platform') : 'default'}
                </Chip>
                {global && <span className="text-sm text-dim">{global.reason}</span>}
                {own.length > 0 && <span className="text-sm text-dim">{counted(own.length, 'exception')}</span>}
              </span>
            ),
          },
          {
            head: '',
            end: true,
            cell: (policy) => (
              <Button aria-label={`Change ${policy.definition.key}`} onClick={() => setChanging(policy)}>
                Change
              </Button>
            ),
          },
        ]}
        empty={<Empty icon="rules" title="No policies match" />}
      />
      {changing && (
        <PolicyDialog
          policy={policies?.find(({ definition }) => definition.key === changing.definition.key) ?? changing}
          onClose={() => setChanging(undefined)}
        />
      )}
    </Page>
  );
}
