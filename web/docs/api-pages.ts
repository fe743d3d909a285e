import { type Html, html } from '../../server/src/edge/oidc/html.ts';
import { anchorOf } from '../../tools/lib/document.ts';
import type { Entry } from '../src/docs/find.ts';
import { type Parameter, type Schemas, snippetsOf } from './api-examples.ts';
import { nameOf, type Schema, showFields, showType, showValues } from './api-schema.ts';
import type { Leaf } from './book.ts';
import { raw, type Sheet } from './layout.ts';
import { showCode } from './markdown.ts';

/**
 * The reference of the API, from api/openapi.json and nothing else: a page per family of operations, one for the types
 * that they share, and one that says what holds for all of them. Every operation has an address of its own.
 */
interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly 'x-gpuaas-errors'?: readonly string[];
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly 'x-gpuaas-auth': {
    readonly kind: 'public' | 'user' | 'admin' | 'node';
    readonly why?: string;
    readonly serviceAccounts?: string;
    readonly personalTokens?: string;
  };
  readonly 'x-gpuaas-scope'?: string;
  readonly 'x-gpuaas-lane': string;
  readonly 'x-gpuaas-idempotency'?: 'key' | { readonly natural: string };
  readonly 'x-gpuaas-audit'?: string;
  readonly 'x-gpuaas-step-up'?: { readonly maxAge: string };
  readonly 'x-gpuaas-only'?: string;
  readonly 'x-gpuaas-shown-once'?: readonly string[];
  readonly 'x-gpuaas-errors': readonly string[];
}
export interface ApiDescription {
  readonly info: { readonly description: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
  readonly 'x-gpuaas-errors': Readonly<
    Record<
      string,
      { readonly status: number; readonly meaning: string; readonly retryable: boolean; readonly who_acts: string }
    >
  >;
  readonly 'x-gpuaas-scopes': Readonly<Record<string, string>>;
  readonly 'x-gpuaas-lanes': Readonly<
    Record<string, { readonly default_requests_per_minute: number; readonly policy: string }>
  >;
}
interface Call extends Operation {
  readonly method: string;
  readonly path: string;
}

export function makeApiPages(api: ApiDescription): {
  readonly leaves: readonly Leaf[];
  readonly pages: readonly { readonly sheet: Sheet; readonly entries: readonly Entry[] }[];
} {
  const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({ ...operation, method: method.toUpperCase(), path })),
  );
  const families = [...Map.groupBy(calls, ({ tags: [tag = 'Other'] }) => tag)].sort(([a], [b]) =>
    place(a) < place(b) ? -1 : 1,
  );
  const pages = [overview(api, families), ...families.map(([tag, own]) => family(api, tag, own)), types(api)];
  return {
    pages,
    leaves: pages.map(({ sheet: { url, title } }) => ({
      path: '',
      url,
      label: url === '/docs/api' ? 'Overview' : title,
    })),
  };
}

/** Operations of operators come last. */
const place = (tag: string): string => (tag.startsWith('Admin') || tag === 'Simulator' ? `~${tag}` : tag);
/** `AdminOSImages` is "Operators: OS images". */
export function titleOfTag(tag: string): string {
  const bare = tag.replace(/^Admin(?=[A-Z])/, '');
  const [first = '', ...rest] = bare.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  const words = [first, ...rest.map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))]
    .join(' ')
    .replace(/^Ssh/, 'SSH')
    .replace(/^Skus/, 'SKUs')
    .replace(/^Ops$/, 'Events and dead letters');
  return tag === bare ? words : `Operators: ${words.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
}
const urlOfTag = (tag: string): string => `/docs/api/${tag.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`;

function overview(api: ApiDescription, families: readonly (readonly [string, readonly Call[]])[]) {
  const title = 'API reference';
  const lanes = Object.entries(api['x-gpuaas-lanes']);
  const headings = [
    { depth: 2, text: 'Every request', id: 'every-request' },
    { depth: 2, text: 'Budgets', id: 'budgets' },
    { depth: 2, text: 'Operations', id: 'operations' },
  ];
  const [general, budgets, operations] = headings;
  const body = html`<p>Everything the product does goes through this API; the console, the command line and both SDKs call nothing else. The description that this page is made from is <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1), release ${api.info.version}.</p>
${head(general)}
<ul>
<li>Send a token: <code>Authorization: Bearer …</code>. Each operation names the <a href="/docs/reference/scopes">scope</a> that the token and your role have to hold.</li>
<li>Everything that changes something takes an <code>Idempotency-Key</code> of yours, so that it can be sent again when the answer was lost: the same key with the same body gets the stored answer.</li>
<li>Operations inside a project read it from <code>X-Project-ID</code>.</li>
<li><code>X-Request-Id</code> may carry a correlation id of your choosing; otherwise one is made, and the answer has it.</li>
<li>A refusal is <code>application/problem+json</code> with a <code>code</code> from the <a href="/docs/reference/errors">catalog</a> and a <code>correlation_id</code> that finds the request in logs, audit and events.</li>
<li>Lists answer <code>data</code> and <code>next_cursor</code>; send that back as <code>cursor</code> for the next page.</li>
<li>What belongs to others answers as what does not exist.</li>
</ul>
${head(budgets)}
<p>Requests are counted per caller and lane; <code>RateLimit</code> in every answer says what is left. Operators change the numbers with <a href="/docs/reference/policies">policies</a>.</p>
<div class="table" role="group" aria-label="Lanes" tabindex="0"><table><thead><tr><th>lane</th><th>requests a minute</th><th>policy</th></tr></thead><tbody>
${lanes.map(([name, { default_requests_per_minute: many, policy }]) => html`<tr><td>${name}</td><td>${String(many)}</td><td><code>${policy}</code></td></tr>`)}
</tbody></table></div>
${head(operations)}
${families.map(
  ([tag, calls]) => html`<h3 id="${anchorOf(tag)}"><a href="${urlOfTag(tag)}">${titleOfTag(tag)}</a></h3>
<ul class="calls">${calls.map((call) => html`<li><a href="${urlOfTag(tag)}#${call.operationId}">${verb(call)} <code>${call.path}</code></a> <span>${call.summary}</span></li>`)}</ul>`,
)}`;
  const entries: Entry[] = [
    {
      u: '/docs/api',
      p: title,
      h: '',
      t: 'Tokens, idempotency keys, projects, refusals, pages, budgets and every operation.',
    },
  ];
  return { sheet: { url: '/docs/api', title, body, headings } satisfies Sheet, entries };
}

const head = (heading: { readonly id: string; readonly text: string } | undefined): Html =>
  html`<h2 id="${heading?.id}">${heading?.text}</h2>`;
const verb = ({ method }: Call): Html => html`<span class="verb ${method.toLowerCase()}">${method}</span>`;

function family(api: ApiDescription, tag: string, calls: readonly Call[]) {
  const url = urlOfTag(tag);
  const title = titleOfTag(tag);
  const sheet: Sheet = {
    url,
    title,
    headings: calls.map(({ operationId, method, path }) => ({
      depth: 2,
      id: operationId,
      text: `${method} ${path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, '{…}')}`,
    })),
    body: html`${calls.map((call) => showCall(api, call))}`,
  };
  const entries = calls.map(
    ({ operationId, method, path, summary }): Entry => ({
      u: `${url}#${operationId}`,
      p: `API: ${title}`,
      h: `${method} ${path}`,
      t: `${summary}. ${operationId}`,
    }),
  );
  return { sheet, entries };
}

/** Headers of every operation are described once, on the first page. */
const everywhere = 'X-Request-Id';

function showCall(api: ApiDescription, call: Call): Html {
  const parameters = call.parameters.map((each) =>
    '$ref' in each ? api.components.parameters[nameOf(each.$ref)] : each,
  );
  const known = parameters.flatMap((each) => (each && !each.deprecated && each.name !== everywhere ? [each] : []));
  const body = Object.values(call.requestBody?.content ?? {})[0]?.schema;
  const whole = body?.$ref ? api.components.schemas[nameOf(body.$ref)] : body;
  const good = Object.entries(call.responses).filter(([status]) => status.startsWith('2'));
  return html`<section class="call">
<h2 id="${call.operationId}">${verb(call)} <code>${call.path}</code> <a class="anchor" href="#${call.operationId}" aria-label="${`Link to ${call.operationId}`}">#</a></h2>
<p>${call.summary}.</p>
${showTerms(call)}
<div class="halves"><div>${showExamples(api, call, known, whole)}</div><div>
${known.length > 0 ? html`<h3>Parameters</h3>${showValues(known.map(({ name, schema, required = false, description, in: where }) => ({ name, schema, isRequired: required, description, where })))}` : undefined}
${whole ? html`<h3>Body</h3>${body?.$ref ? html`<p>${showType(body)}</p>` : undefined}${showFields(whole) ?? html`<p>An empty object.</p>`}` : undefined}
<h3>Answers</h3>
<ul class="answers">${good.map(([status, { content = {} }]) => html`<li><code>${status}</code> ${Object.entries(content).map(([type, { schema }]) => html`<span>${type === 'application/json' ? undefined : html`<code>${type}</code> `}${schema.$ref ? showType(schema) : showAnswer(schema)}</span>`)}</li>`)}</ul>
${showRefusals(api, call)}
</div></div>
</section>
`;
}

const showAnswer = (schema: Schema): Html => {
  const fields = showFields(schema);
  if (!fields) return showType(schema);
  const { data, ...others } = schema.properties ?? {};
  const brief = data?.items?.$ref
    ? html`a page of ${showType(data.items)}`
    : html`an object: <code>${Object.keys({ data, ...others })
        .filter((name) => name !== 'data' || data)
        .join(', ')}</code>`;
  return html`${brief}<details><summary>Fields</summary>${fields}</details>`;
};

/** Who may call it and under which conditions, one line each. */
function showTerms(call: Call): Html {
  const auth = call['x-gpuaas-auth'];
  const key = call['x-gpuaas-idempotency'];
  const scope = call['x-gpuaas-scope'];
  const who = {
    public: html`Anybody: ${auth.why}`,
    user: html`People${auth.serviceAccounts === 'allowed' ? ' and service accounts' : ', not service accounts'}${auth.personalTokens === 'refused' ? ', signed in and not with a personal token' : ''}`,
    admin: html`Operators`,
    node: html`Nodes, by their certificate`,
  }[auth.kind];
  const terms: (readonly [string, Html])[] = [
    ['Who', who],
    ...(scope === undefined
      ? []
      : [['Scope', html`<a href="/docs/reference/scopes"><code>${scope}</code></a>`] as const]),
    ['Lane', html`<a href="/docs/api#budgets">${call['x-gpuaas-lane']}</a>`],
    ...(key === undefined
      ? []
      : [['Repeatable', key === 'key' ? html`with an <code>Idempotency-Key</code>` : html`${key.natural}`] as const]),
    ...(call['x-gpuaas-audit'] === undefined ? [] : [['Audit', html`<code>${call['x-gpuaas-audit']}</code>`] as const]),
    ...(call['x-gpuaas-step-up'] === undefined
      ? []
      : [['Sign-in', html`a recent one (<code>${call['x-gpuaas-step-up'].maxAge}</code>)`] as const]),
    ...(call['x-gpuaas-shown-once'] === undefined
      ? []
      : [['Shown once', html`<code>${call['x-gpuaas-shown-once'].join(', ')}</code>`] as const]),
    ...(call['x-gpuaas-only'] === undefined ? [] : [['Only', html`beside a simulated fleet`] as const]),
  ];
  return html`<dl class="terms">${terms.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function showRefusals(api: ApiDescription, call: Call): Html {
  const codes = call['x-gpuaas-errors'].map((code) => ({ code, ...api['x-gpuaas-errors'][code] }));
  const sorted = codes.toSorted((a, b) => (a.status ?? 0) - (b.status ?? 0));
  return html`<details class="refusals"><summary>Refusals (${String(codes.length)})</summary><ul>${sorted.map(
    ({ code, status, meaning, retryable }) =>
      html`<li><code>${String(status)}</code> <a href="/docs/reference/errors#${code}"><code>${code}</code></a> <span>${meaning}${retryable ? ' May be tried again.' : ''}</span></li>`,
  )}</ul></details>`;
}

const languages = [
  ['cli', 'Command line', 'sh'],
  ['curl', 'curl', 'sh'],
  ['typescript', 'TypeScript', 'typescript'],
  ['python', 'Python', 'python'],
] as const;

/** Without a script the languages are listed one below the other; with one they are tabs that remember the choice. */
function showExamples(
  api: ApiDescription,
  call: Call,
  parameters: readonly Parameter[],
  body: Schema | undefined,
): Html {
  const snippets = snippetsOf(call.operationId, parameters, body, api.components.schemas);
  return html`<div class="examples" data-examples>${languages.map(
    ([name, label, language]) =>
      html`<div class="example" data-language="${name}" data-label="${label}"><p class="language">${label}</p>${raw(showCode(snippets[name], language))}</div>`,
  )}</div>`;
}

function types(api: ApiDescription) {
  const url = '/docs/api/types';
  const title = 'Types';
  const all = Object.entries(api.components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  const sheet: Sheet = {
    url,
    title,
    headings: all.map(([name]) => ({ depth: 2, id: name, text: name })),
    lead: html`<p>Types that operations take and return by name. A field may be added at any time; within <code>/api/v1</code> none is removed or changes its meaning.</p>`,
    body: html`${all.map(
      ([
        name,
        schema,
      ]) => html`<section class="named"><h2 id="${name}">${name} <a class="anchor" href="#${name}" aria-label="${`Link to ${name}`}">#</a></h2>
${schema.description === undefined ? undefined : html`<p>${schema.description}</p>`}${showFields(schema) ?? html`<p>${showType(schema)}</p>`}</section>`,
    )}`,
  };
  const entries = all.map(
    ([name, schema]): Entry => ({
      u: `${url}#${name}`,
      p: 'API: Types',
      h: name,
      t: Object.keys(schema.properties ?? {}).join(' '),
    }),
  );
  return { sheet, entries };
}
