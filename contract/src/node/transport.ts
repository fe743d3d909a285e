/** Where an agent calls. It has one destination, the node hostname, and is never called itself. */
export const nodeTransport = {
  wait: { method: 'GET', path: '/internal/v1/nodes/{id}/tasks/wait', answers: 'NodeTask' },
  result: { method: 'POST', path: '/internal/v1/nodes/{id}/tasks/{task_id}/result', carries: 'NodeTaskResult' },
} as const;
