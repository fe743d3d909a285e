import { expect, it } from 'vitest';
import { unplacedNames } from './placed-names.ts';

it('finds nothing in a text where everything says where it lives', () => {
  expect(
    unplacedNames(`
declare
  settings pg_catalog.text;
begin
  -- a comment may say set_config(x) = y
  insert into public.audit_logs (id, change) values (p_act::pg_catalog.uuid, p_change);
  insert into public.outbox_events (event_id, key)
    select e.id::pg_catalog.uuid, e.key from rows from (pg_catalog.unnest(p_ids), pg_catalog.unnest(p_keys)) with ordinality as e (id, key, n) order by e.n;
  if p_key is not null and p_ids[1] is not null then
    delete from public.idempotency_records r where r.key operator(pg_catalog.=) p_key;
  end if;
  settings := pg_catalog.set_config('a = b', p_act, true);
end`),
  ).toEqual([]);
});

it.each([
  ['begin delete from projects; end', ['projects']],
  ['begin insert into audit_logs (id) values (p_id); end', ['audit_logs']],
  ['begin perform set_config($1, $2, true); end', ['set_config']],
  ['begin if a = b then return; end if; end', ['=']],
  ['begin return p_id::uuid; end', ['uuid']],
  ['declare x text; begin x := p; end', ['text']],
  ['begin if a is distinct from b then return; end if; end', ['b', 'distinct from']],
  ['begin return nullif(a, b); end', ['nullif']],
  ["begin return a || 'x'; end", ['||']],
])('names what is looked for along the path: %s', (source, found) => {
  expect(unplacedNames(source)).toEqual(found);
});
