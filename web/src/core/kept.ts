// What the browser keeps from visit to visit.

/** What was kept under a name; null if nothing was, or pages may keep nothing. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // pages of files may have no storage
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // see kept
  }
}
