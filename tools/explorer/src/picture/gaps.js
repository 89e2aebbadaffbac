// Distances that the worker and the page share.

/** Between the columns of one long layer; layers are farther apart. */
export const COLUMN_GAP = 34;
