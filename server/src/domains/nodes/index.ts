export { type Answers, answerOf, makeAnswers, TaskAnswer } from './answers.ts';
export { type Dispatch, makeDispatch } from './dispatch.ts';
export { hashEnrolmentToken } from './enrolment-tokens.ts';
export type { NodeDoor } from './install.ts';
export { advanceNode, type NodeTransition } from './machine.ts';
export { operatorRoutes } from './operator.ts';
export { makeResults, type ResultRefused, type Results, type TaskListeners } from './results.ts';
export { openTaskSigners, type TaskSigners } from './signers.ts';
export { answersChannel, makeTasks, type TaskOrder, type Tasks, tasksChannel } from './tasks.ts';
