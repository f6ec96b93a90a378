/** Queueing targets of a cohort, leasing the next one to work on, and giving it back (spec §4.4, contract §3, §7). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { targetsMax } from '../domain/landscape/queue.ts';
import { queueRules } from '../domain/landscape/queue-rules.ts';
import { optionalWords, words } from '../model/arguments.ts';
import { lanes } from '../model/vocabulary.ts';
import { assignmentId, Leased, Queued, Returned } from '../model/landscape.ts';

const cohort = Type.String({ minLength: 2, maxLength: 40, description: 'the name of the cohort' });

const target = Type.Object(
  {
    id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 38, description: 'made from the name when left out' }),
    ),
    name: words(200, 'what it is called'),
    repository: optionalWords(500, 'an address, or owner/name'),
    url: optionalWords(2000, 'http or https'),
    rank: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1e12, description: 'lower ones are handed out first' }),
    ),
    axis: optionalWords(200, 'what is to be found out about it'),
    slot: optionalWords(60, 'a constitution slot'),
  },
  { additionalProperties: false },
);

const landscapeQueue = defineRow({
  key: 'LANDSCAPE_QUEUE',
  category: 'landscape',
  target: 'cohort',
  wishes: ['queue targets to be worked on'],
  contract: {
    what: 'Queues up to 500 targets of a cohort in the lanes field, build, opposition and synthesis. Whoever leases one of them may add claims, sources and discourse to its article. Contributors lease from cohorts that the owner opened (open: true).',
    when: 'When a population was captured and each of its members should be worked on.',
    example:
      '{"cohort":"http-servers","query":"HTTP servers for Node.js","sort":"stars","captured_at":"2026-03-01T12:00:00Z","source_url":"https://example.org/list","targets":[{"name":"Fastify","repository":"fastify/fastify","rank":1,"axis":"licence"}]}',
  },
  input: Type.Object(
    {
      cohort,
      query: words(1000, 'how the targets were found'),
      sort: optionalWords(200, 'in which order they were listed'),
      captured_at: words(60, 'ISO 8601'),
      source_url: optionalWords(2000, 'the page that lists them'),
      targets: Type.Array(target, {
        maxItems: targetsMax,
        description: 'may be empty where open is sent for a cohort that exists',
      }),
      open: Type.Optional(
        Type.Boolean({ description: 'whether contributors may lease from the cohort; the owner only' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Queued,
  auth: 'share',
  risk: 'high',
  safe: false,
  inAct: false,
  prefixable: false,
  rules: queueRules,
  plan: (input) => ({ do: 'queue-targets', input }),
});

const landscapeNext = defineRow({
  key: 'LANDSCAPE_NEXT',
  category: 'landscape',
  target: 'assignment',
  wishes: ['get work to do', 'take up an assignment', 'lease the next item', 'how can I help'],
  contract: {
    what: 'Leases the next free item of a lane for 24 hours; for a contributor one hour, from an open cohort. Returns the assignment with a snapshot of its article, a capability bound to that work, and the ready batch body.',
    when: 'When a worker is ready for one target; a credential holds at most three open assignments, a contributor one.',
    example: 'field',
  },
  input: Type.Object(
    {
      lane: Type.Union(
        lanes.map((lane) => Type.Literal(lane)),
        { description: lanes.join(', ') },
      ),
      // An address calls a cohort by its workspace as well.
      cohort: Type.Optional({ ...cohort, maxLength: 80 }),
    },
    { additionalProperties: false },
  ),
  output: Leased,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: ({ lane, cohort: name }) => ({ do: 'lease-item', lane, cohort: name }),
});

const landscapeReturn = defineRow({
  key: 'LANDSCAPE_RETURN',
  category: 'landscape',
  target: 'assignment',
  wishes: ['give an assignment back', 'return a lease', 'I cannot finish my assignment'],
  contract: {
    what: 'Gives a leased item back: it is free again at once, and the share of the assignment is revoked. What landed stays. The leaseholder, the share of the assignment and the owner may return it.',
    when: 'When the work on an item will not be completed.',
    example: '<assignment_id>',
  },
  input: Type.Object(
    { assignment: { ...assignmentId, description: 'the id of the assignment' } },
    { additionalProperties: false },
  ),
  output: Returned,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  // Whether the credential holds the lease is decided with the assignment at hand.
  selfLimiting: true,
  plan: ({ assignment }) => ({ do: 'return-item', assignment }),
});

export const landscapeRows: readonly Row[] = [landscapeQueue, landscapeNext, landscapeReturn];
