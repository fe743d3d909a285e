/** What a change of a project or an organization makes stale: the lists, the project switcher, and the person's roles. */
export const stale = ['projects', 'me'] as const;
