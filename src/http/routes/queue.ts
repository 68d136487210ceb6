/** What waits and runs, for operators, and their way to Bull Board. */
import {
  BoardSession,
  boardSessionExample,
  QueueState,
  queueExample,
} from '../../contract/queue.ts';
import { startBoardSession } from '../pages/board-session.ts';
import type { Parts } from '../parts.ts';
import { route } from '../route.ts';

export const getQueue = route({
  method: 'get',
  path: '/v1/admin/queue',
  operationId: 'getQueue',
  tag: 'Admin: queue',
  summary: 'Jobs of all accounts, the queues that carry them, workers and Triton servers',
  scope: 'admin',
  rate: 'read',
  answer: { status: 200, body: QueueState, example: queueExample },
  fails: [],
  handle: async (_, parts) => ({
    jobs: await jobsOf(parts),
    queues: await Promise.all(parts.bullQueues.queues().map(queueOf)),
    tritons: parts.replicas.list().map(({ name, state }) => ({ name, healthy: state().healthy })),
  }),
});

const jobsOf = async ({ jobs, ledger }: Parts): Promise<QueueState['jobs']> => {
  const [now, oldestMs, totals] = await Promise.all([
    jobs.counts(),
    jobs.oldestQueuedAtMs(),
    ledger.totals(),
  ]);
  return {
    ...now,
    oldest_queued_at: oldestMs === null ? null : new Date(oldestMs).toISOString(),
    ...totals.jobs,
    workers_lost: totals.workersLost,
  };
};

type Seen = ReturnType<Parts['bullQueues']['queues']>[number];

const queueOf = async (queue: Seen): Promise<QueueState['queues'][number]> => {
  const [{ waiting, active, delayed, failed }, paused, listed] = await Promise.all([
    queue.getJobCounts(),
    queue.isPaused(),
    // Undefined where Redis has no command CLIENT, which its type does not say.
    queue.getWorkers(),
  ]);
  return {
    name: queue.name,
    paused,
    waiting,
    active,
    delayed,
    failed,
    workers: listed?.length ?? null,
  };
};

export const createBoardSession = route({
  method: 'post',
  path: '/v1/admin/board',
  operationId: 'createBoardSession',
  tag: 'Admin: queue',
  summary: 'Let this browser look at Bull Board for an hour, by a cookie',
  scope: 'admin',
  rate: 'create',
  answer: {
    status: 201,
    body: BoardSession,
    example: boardSessionExample,
    headers: ['Set-Cookie'],
  },
  fails: [],
  handle: async ({ ctx, caller }, parts) => {
    const expiresAtMs = startBoardSession(ctx, caller.keyId, parts);
    return {
      url: `${parts.config.http.publicUrl}/board`,
      expires_at: new Date(expiresAtMs).toISOString(),
    };
  },
});
