import { stableJson } from '../../emit/json.ts';
import { memberOf, promisedIn, readDocument, type Sides } from './documents.ts';
import { findBreakages } from './schema-compatibility.ts';
import { closed, compatibleOrReleased, type Verdict } from './verdict.ts';

/**
 * Agents of the last release run on hosts for weeks after the control plane was updated. Their envelopes, tasks, paths
 * and the rule of the signature must therefore stay; new tasks and new optional members may come.
 */
export const checkNodeProtocol = (sides: Sides): Promise<Verdict> =>
  closed('The node protocol keeps the promises of the last release', compatibleOrReleased, async () => {
    const base = readDocument(sides.base);
    const next = readDocument(sides.next);
    const schemas = promisedIn(base, '$defs', sides.base).flatMap((name) =>
      name in memberOf(next, '$defs')
        ? findBreakages(sideOf(base, name), sideOf(next, name), name)
        : [`${name}: the schema was removed`],
    );
    const tasks = Object.keys(memberOf(base, 'x-gpuaas-tasks'))
      .filter((task) => !(task in memberOf(next, 'x-gpuaas-tasks')))
      .map((task) => `${task}: the task was removed`);
    const rules = ['x-gpuaas-transport', 'x-gpuaas-signature'].flatMap((rule) =>
      Object.entries(memberOf(base, rule))
        .filter(([name, was]) => stableJson(was ?? null) !== stableJson(memberOf(next, rule)[name] ?? null))
        .map(([name]) => `${rule}/${name}: the rule changed`),
    );
    return [...schemas, ...tasks, ...rules];
  });

const sideOf = (document: ReturnType<typeof readDocument>, name: string) => ({
  document,
  schema: memberOf(document, '$defs')[name],
});
