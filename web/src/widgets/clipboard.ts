/** Copies a text; in pages that are not of localhost or https by the old way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  const back = document.activeElement as HTMLElement | null;
  area.value = text;
  area.className = "offscreen";
  // Outside an open dialog nothing can take the focus.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  back?.focus();
  return done;
}
