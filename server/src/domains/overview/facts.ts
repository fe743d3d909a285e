/** Allocations that an overview shows one by one; the list has the others. */
export const shownCurrent = 6;
/** Kinds of launches that are offered again: as many as a person has in mind. */
export const shownShapes = 4;
/** Launches that are looked through for them. */
export const lookedAt = 50;
/** Lines of recent activity: one glance. */
export const shownActivity = 8;
/** Unread notices are counted up to here: the console shows "9+" anyway. */
export const countedNotices = 100;
