// Remembers which tiles of a panel were fetched, so that one of another level,
// height or scale of values can stand in for a tile that is not there yet.
import { tileSpan } from "./level";
import type { Need } from "./plan";
import type { Tile } from "./tile";
import type { Lru } from "./lru";

export interface StandIn { tile: Tile; t0: number; level: number; height: number } // height that it was drawn for

interface Entry { path: string; height: number }

const COARSER = 12; // levels to look up
const FINER = 3; // levels to look down

export class Series {
  #at = new Map<string, Entry>(); // "level/index" → newest path

  note(need: Need, height: number): void {
    this.#at.set(`${need.level}/${need.index}`, { path: need.path, height });
  }

  /** What can be shown instead of a tile: the same place stale, then a coarser one, then finer ones beside each other. */
  standIns(tiles: Lru<Tile>, need: Need): StandIn[] {
    for (let up = 0; up <= COARSER; up++) {
      const found = this.#find(tiles, need.level + up, Math.floor(need.index / 2 ** up));
      if (found) return [found];
    }
    for (let down = 1; down <= FINER; down++) {
      const found: StandIn[] = [], n = 2 ** down;
      for (let i = 0; i < n; i++) {
        const one = this.#find(tiles, need.level - down, need.index * n + i);
        if (one) found.push(one);
      }
      if (found.length > 0) return found;
    }
    return [];
  }

  #find(tiles: Lru<Tile>, level: number, index: number): StandIn | null {
    const entry = this.#at.get(`${level}/${index}`);
    const tile = entry && tiles.get(entry.path);
    if (!tile) return null;
    return { tile, t0: index * tileSpan(level), level, height: entry.height };
  }
}
