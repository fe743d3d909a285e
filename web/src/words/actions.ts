import { plainWord } from './sizes.ts';

/** What was done, in words. Whatever has none yet is still shown, in its own. */
const verbs: Readonly<Record<string, string>> = {
  create: 'created',
  add: 'added',
  set: 'set',
  update: 'changed',
  remove: 'removed',
  delete: 'deleted',
  revoke: 'revoked',
  release: 'released',
  plan: 'asked for a plan for',
  archive: 'archived',
  restore: 'restored',
  disable: 'disabled',
  enable: 'enabled',
  extend: 'extended',
  restart: 'restarted',
  cordon: 'cordoned',
  uncordon: 'uncordoned',
  drain: 'drained',
  publish: 'published',
  retire: 'retired',
  admit: 'admitted',
  dispatch: 'dispatched',
  begin: 'began',
  end: 'ended',
  accept: 'accepted',
  enrol: 'enrolled',
  bind: 'bound',
  approve: 'approved',
  rename: 'renamed',
  leave: 'left',
  result: 'reported on',
  mail: 'mailed',
  quarantine: 'quarantined',
  readmit: 'readmitted',
  requeue: 'requeued',
  discard: 'discarded',
  clear: 'cleared',
  probe: 'probed',
  rotate: 'rotated',
  withdraw: 'withdrew',
};

/** Acts whose name is not a verb and what it was done to. */
const sentences: Readonly<Record<string, string>> = {
  'allocation.begin_cleanup': 'began to clean up after an allocation',
  'allocation.begin_forced_release': 'began to force the release of an allocation',
  'allocation.begin_provisioning': 'began to make an allocation',
  'allocation.begin_release': 'began to release an allocation',
  'allocation.begin_restart': 'began to restart an allocation',
  'allocation.force_cleanup': 'cleaned up after an allocation by force',
  'allocation.force_release': 'forced the release of an allocation',
  'allocation.give_notice': 'told a tenant that an allocation has to move',
  'allocation.give_up': 'gave up on an allocation',
  'allocation.promote': 'gave an allocation in line its place',
  'allocation.set_ssh_keys': 'changed the SSH keys of an allocation',
  'allocation.watch_idle': 'looked whether an allocation is idle',
  'authz.deny': 'was refused',
  'catalog.load_defaults': 'loaded the catalogue that comes with the product',
  'dlq.discard': 'discarded a dead letter',
  'dlq.requeue': 'delivered a dead letter again',
  'event.bury': 'gave up an event',
  'event.forget': 'removed events that are no longer kept',
  'member.leave': 'left the organization',
  'node.agent_update': 'updated the agent of a node',
  'node.begin_drain': 'began to drain a node',
  'node.begin_reimage': 'began to install a node anew',
  'node.begin_removal': 'began to remove a node',
  'node.call_drain_off': 'called the drain of a node off',
  'node.discover': 'looked at how a node is built',
  'node.drained': 'emptied a node',
  'node.images_report': 'told which images a node has',
  'node.issue_token': 'issued a token for a node',
  'node.reimage': 'installed a node anew',
  'node.resume': 'put a node back into service',
  'node.set_aside': 'set a node aside',
  'node_image.forget': 'forgot an image of a node',
  'node_task.answer': 'took the answer to a task',
  'node_task.expire': 'let a task expire',
  'node_task.progress': 'told how far a task is',
  'notice.read': 'read the notices',
  'outbox.discard': 'discarded an event',
  'outbox.requeue': 'sent an event again',
  'outbox.rewind': 'sent earlier events again',
  'platform_role.bootstrap': 'made the first operator',
  'policy.bound_violation': 'asked for more than a policy allows',
  'policy.unset': 'took a policy back',
  'project.begin_removal': 'began to remove a project',
  'project_ssh_key.wind_down': 'took a project SSH key off its machines',
  'service_account.token.issue': 'issued a token for a service account',
  'session.revoke_all': 'ended all sessions of somebody',
  'session.revoke_others': 'ended all other sessions',
  'simulator.clear_fault': 'mended a simulated host',
  'simulator.set_fault': 'broke a simulated host',
  'simulator.set_speed': 'changed the speed of the simulator',
  'simulator.switch_agent': 'switched a simulated agent on or off',
  'task_signer.age': 'retired signers whose time is over',
};

/** `ssh_key.add` by a member: `added an SSH key`. */
export function tellAction(action: string): string {
  const whole = sentences[action];
  if (whole) return whole;
  const at = action.lastIndexOf('.');
  const [thing, verb] = at < 0 ? ['', action] : [action.slice(0, at), action.slice(at + 1)];
  const done = verbs[verb];
  const things = plainWord(thing).replaceAll(/\b(?:ssh|os|sku)\b/g, (short) => short.toUpperCase());
  if (!done) return plainWord(action);
  const article = /^(?:[aeio]|u(?!ser)|SSH|SKU|OS)/.test(things) ? 'an' : 'a';
  return `${done} ${article} ${things}`;
}
